import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { median } from 'simple-statistics';
import { seededChance } from '../../bench/detection/noise.ts';
import { drawPicture } from '../../bench/detection/picture.ts';
import { renderResults } from '../../bench/detection/render.ts';
import { replaceBetween } from '../../bench/detection/replace-between.ts';
import { FULL, parseResults } from '../../bench/detection/results.ts';
import { SCENARIOS } from '../../bench/detection/scenarios.ts';
import { targetsOf } from '../../bench/detection/targets.ts';

import { readTrace } from '../../bench/detection/trace-file.ts';
import { openRecorded, variantOf } from '../../bench/detection/trace-source.ts';

const page = readFileSync('docs/how-it-decides.md', 'utf8');
const results = parseResults(readFileSync('bench/detection/results.jsonl', 'utf8'));

describe('the recordings', () => {
  const names = readdirSync('bench/traces').filter((name) => name.endsWith('.jsonl.gz'));

  it('stay small', () => {
    expect(names.reduce((sum, name) => sum + statSync(`bench/traces/${name}`).size, 0)).toBeLessThan(2 * 2 ** 20);
  });

  it.each(names)('%s holds every variant, and its slower models are slower by about what was added', (name) => {
    const trace = readTrace(`bench/traces/${name}`);
    for (const extra of [0, 1, 2, 3, 5, 10]) {
      const { pairs } = variantOf(trace, extra);
      expect(pairs.length).toBeGreaterThanOrEqual(13);
      const ratios = pairs.map(
        ({ base, head }) => (head.values['latency.p50'] ?? 0) / (base.values['latency.p50'] ?? 1),
      );
      expect(Math.abs(100 * (median(ratios) - 1) - extra)).toBeLessThan(1.5);
    }
  });

  it('gives a case of any length, with either copy as base where nothing changed', () => {
    const variant = variantOf(readTrace(`bench/traces/${names[0]}`), 0);
    const next = openRecorded(variant, seededChance(1));
    const drawn = Array.from({ length: 60 }, (_, index) => next(index));
    const known = new Set(variant.pairs.map(({ base }) => base.values['latency.p50']));
    const fromBase = drawn.filter(({ base }) => known.has(base.values['latency.p50'])).length;
    expect(drawn.map(({ head }) => head.index)).toEqual(drawn.map((_, index) => index));
    expect(fromBase).toBeGreaterThan(5);
    expect(fromBase).toBeLessThan(55);
  });
});

describe('the page on deciding', () => {
  it('holds the figures as the script writes them, and none of its own', () => {
    expect(replaceBetween(page, 'detection', renderResults(results))).toBe(page);
    const byHand = replaceBetween(replaceBetween(page, 'detection', ''), 'canary', '');
    expect(byHand).not.toMatch(/\|.*\|/);
  });

  it('shows the picture that the rule gives today', () => {
    expect(readFileSync('docs/how-it-decides.svg', 'utf8')).toBe(drawPicture());
  });

  it('rests on every kind of noise at its full size', () => {
    const synthetic = results.filter(({ id }) => !id.startsWith('recorded'));
    expect(synthetic.map(({ id, text }) => [id, text])).toEqual(SCENARIOS.map(({ id, text }) => [id, text]));
    for (const { sizes } of results) expect(sizes).toEqual(FULL);
  });

  it('claims no false alarm and no missed slow-down of 10 % that was not found', () => {
    const asked = results.flatMap((result) => targetsOf(result) ?? []);
    expect(asked.filter(({ id, isMet }) => (id === 'fail' || id === 'fail10') && !isMet)).toEqual([]);
  });

  it('names scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const named = [...page.matchAll(/`npm run ([\w:]+)`/g)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});
