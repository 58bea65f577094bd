import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { acceptResults } from '../../src/accept-results-edge.ts';
import { openDirectoryStore } from '../../src/baseline/directory-store-edge.ts';
import { nameMeasuredModels } from '../../src/cli/read-files-edge.ts';
import { parseGateConfig } from '../../src/inputs/config-file.ts';
import { parseMeasurement } from '../../src/measure/measurement-file.ts';
import { judge } from '../../src/verdict/judge.ts';
import { verdictToJson } from '../../src/verdict/verdict-json.ts';
import {
  CONFIG,
  createGateWorld,
  type GateOutcome,
  type GateWorld,
  publish,
  pullTrigger,
  pushTrigger,
} from './gate-world.ts';

const FILE = 'baselines/ranker/c1a55c1a55c1.json';
const DIRECTORY = CONFIG.replace('store: branch', 'store: directory');

let world: GateWorld;
beforeEach(() => {
  world = createGateWorld();
});
afterEach(() => world.remove());

/** What `compare` says of the files a run wrote. */
function compareFiles({ out }: GateOutcome, config = CONFIG): string {
  const [base, head] = (['base', 'head'] as const).map((arm) =>
    parseMeasurement(readFileSync(join(out, `${arm}.measurement.json`), 'utf8'), arm),
  );
  if (!base || !head) throw new Error('a file is missing');
  const named = nameMeasuredModels(parseGateConfig(config, 'config'), head);
  return verdictToJson(judge({ base, head, config: named, today: '2026-12-01' }));
}

describe('accept', () => {
  const request = { config: parseGateConfig(CONFIG, 'config'), now: new Date('2026-12-02T10:00:00Z') };

  it('takes a regression with a reason, as an epoch of its own: later runs pass (G14)', async () => {
    const first = world.commitModel(4);
    publish(world.repository);
    await world.gate({ trigger: pushTrigger(null) });
    const slower = world.commitModel(4.48);
    const failed = await world.gate({ trigger: pushTrigger(first) });
    expect(failed.verdict.outcome).toBe('fail');
    await expect(acceptResults(await world.store(), { ...request, results: failed.out, reason: null })).rejects.toThrow(
      '"ranker" did not pass (latency.p50 of ranker/cpu/b1/c1 is regressed): accept it with --reason TEXT',
    );
    await acceptResults(await world.store(), { ...request, results: failed.out, reason: 'embedding dim doubled' });
    const [baseline] = await world.baselines();
    expect(baseline?.epochs.map(({ reason }) => reason)).toEqual(['first baseline', 'embedding dim doubled']);
    world.commitModel(4.49);
    const next = await world.gate({ trigger: pushTrigger(slower), nowMs: Date.UTC(2026, 11, 3) });
    expect(next.verdict).toMatchObject({ outcome: 'pass', base: { commit: slower } });
    expect((await world.baselines())[0]?.sessions).toHaveLength(3);
  }, 30_000);

  it('writes the directory store into the work tree, and later changes are read from their base alone', async () => {
    const base = world.commitModel(4, { '.github/model-gate.yml': DIRECTORY });
    publish(world.repository);
    const result = await world.gate({ trigger: pushTrigger(null) });
    expect(result.stored).toEqual({ written: null });
    const store = openDirectoryStore({ repository: world.repository.root, commit: null, environment: process.env });
    const report = await acceptResults(store, { ...request, results: result.out, reason: 'first baseline' });
    expect(report.written).toEqual([FILE]);
    world.repository.git('add', '--all');
    const accepted = world.repository.commit({}, 'baselines');
    expect(world.repository.git('show', '--stat', '--format=', accepted)).toContain('baselines/ranker');
    writeFileSync(join(world.repository.root, FILE), '{"schema":');
    const poisoned = world.commitModel(4, { '.github/model-gate.yml': DIRECTORY });
    const pull = await world.gate({ trigger: pullTrigger(poisoned, accepted) });
    expect(pull.verdict.outcome).toBe('pass');
    const later = world.commitModel(4, { '.github/model-gate.yml': DIRECTORY });
    await expect(world.gate({ trigger: pullTrigger(later, poisoned) })).rejects.toThrow(`${FILE} is not valid JSON`);
    expect(base).not.toBe(accepted);
  }, 30_000);
});

describe('a row that is known to be too noisy for its margin', () => {
  it('is reported from the start, said before the table, unless the config insists', async () => {
    const noisy = { spread: 0.06 };
    const first = world.commitModel(4);
    publish(world.repository);
    await world.gate({ trigger: pushTrigger(null), script: noisy });
    const second = world.commitModel(4);
    const unsettled = await world.gate({ trigger: pushTrigger(first), script: noisy });
    const reason = 'this machine is noisy';
    const request = { config: parseGateConfig(CONFIG, 'config'), now: new Date('2026-12-02T10:00:00Z') };
    await acceptResults(await world.store(), { ...request, results: unsettled.out, reason });
    const third = world.commitModel(4);
    const demoted = await world.gate({ trigger: pullTrigger(third, second), script: noisy });
    expect(demoted.verdict.rows).toMatchObject([{ role: 'reported', status: 'reported' }]);
    expect(demoted.verdict.rows[0]?.reason).toMatch(/known to spread by \d/);
    expect(demoted.verdict.notes[0]).toMatchObject({ code: 'nothing-gated' });
    expect(demoted.verdict.notes[1]).toMatchObject({ code: 'known-spread', headline: true });
    expect(compareFiles(demoted)).toBe(readFileSync(join(demoted.out, 'verdict.json'), 'utf8'));
    const insisting = `${CONFIG}metrics: {latency.p50: {gate: true}}\n`;
    const fourth = world.commitModel(4, { '.github/model-gate.yml': insisting });
    const gated = await world.gate({ trigger: pullTrigger(fourth, third), script: noisy });
    expect(gated.verdict.rows).toMatchObject([{ role: 'gated' }]);
  }, 30_000);
});

describe('compare on the files a run wrote', () => {
  it('gives its verdict to the byte, the run against an anchor included', async () => {
    let before: string | null = null;
    for (let number = 0; number < 4; number++) {
      const commit: string = world.commitModel(4 * 1.012 ** number);
      if (number === 0) publish(world.repository);
      await world.gate({ trigger: pushTrigger(before) });
      before = commit;
    }
    const head = world.commitModel(4 * 1.012 ** 4);
    const result = await world.gate({ trigger: pullTrigger(head, before ?? '') });
    expect(result.verdict.rows.map((row) => row.comparison)).toEqual(['paired', 'creep']);
    expect(compareFiles(result)).toBe(readFileSync(join(result.out, 'verdict.json'), 'utf8'));
    expect(result.reports.summary).toContain('xychart-beta');
  }, 30_000);
});
