import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBaseline, parseBaselineAt, serialiseBaseline } from '../../src/baseline/baseline-file.ts';
import { RefusedError } from '../../src/errors.ts';
import { chainedBaseline, HEADER } from './samples.ts';

const PLACE = 'baselines/ranker/9a1b2c3d4e5f.json';
const sample = chainedBaseline(4);
const text = serialiseBaseline(sample);

function refusal(input: string): string {
  try {
    parseBaseline(input, PLACE);
  } catch (thrown) {
    if (thrown instanceof RefusedError) return thrown.message;
    throw thrown;
  }
  return '';
}

describe('baseline file', () => {
  it('reads the example of the design', () => {
    const example = `{"schema":"model-gate/baseline@1","model":"ranker","class":"9a1b","facts":{"gpu.name":"NVIDIA L4"},
 "epochs":[{"id":1,"anchor":"s-2026-11-02","reason":"first baseline"}],
 "folded":{"sessions":41,"sinceAnchor":{"ranker/cuda/b32/c1 latency.p50":{"log":0.011,"se":0.004}}},
 "sessions":[
  {"session":"s-2026-11-28","acceptedAt":"2026-11-28T10:00:00Z","epoch":1,"commit":"c","sha256":"a","host":"h","case":"ranker/cuda/b32/c1","workload":"w","arm":{"runtime":"onnxruntime-node 1.30.0","session":"d"},"metrics":{"latency.p50":{"restarts":[4.02,4.03],"reference":[1.31,1.30],"ratioToPrevious":{"log":0.002,"se":0.001}}}}]}`;
    const baseline = parseBaseline(example, PLACE);
    expect(baseline.sessions[0]?.metrics['latency.p50']?.restarts).toEqual([4.02, 4.03]);
    expect(parseBaseline(serialiseBaseline(baseline), PLACE)).toEqual(baseline);
  });

  it('writes one session a line, keys in a fixed order, and valid JSON', () => {
    const lines = text.split('\n');
    expect(lines).toHaveLength(4 + 4 + 1);
    for (const line of lines.slice(4, 8)) expect(line).toMatch(/^ {2}\{"session":"s\d","acceptedAt":.*\},?(\]\})?$/);
    expect(JSON.parse(text)).toEqual(sample);
    const reordered = { ...sample, facts: { 'cpu.granted': 8, 'gpu.name': 'NVIDIA L4' } };
    expect(serialiseBaseline(reordered)).toBe(text);
    expect(serialiseBaseline(parseBaseline(text, PLACE))).toBe(text);
  });

  it.each([
    ['an empty file', '', /is empty: restore/],
    ['a file cut in half', text.slice(0, text.length / 2), /not valid JSON \(cut off/],
    ['merge marks', `<<<<<<< HEAD\n${text}`, /not valid JSON/],
    ['a newer schema', text.replace('baseline@1', 'baseline@2'), /written by a newer Model Gate \(baseline@2\)/],
    ['another schema', text.replace('model-gate/baseline@1', 'other'), /is not a baseline/],
    ['a list', '[]', /is not a baseline/],
    ['null', 'null', /is not a baseline/],
    ['a number that is infinite', text.replace('1.3,', '1e999,'), /sessions\.0\.metrics.*restore it/],
    ['a session listed twice', text.replace('"session":"s1"', '"session":"s0"'), /"s0".*listed twice/],
    ['an epoch that is not listed', text.replace('"epoch":1', '"epoch":7'), /names epoch 7/],
    ['no epoch', text.replace(/"epochs":\[.*\]/, '"epochs":[]'), /epochs/],
  ])('refuses %s in one line that names the file', (_name, input, message) => {
    expect(refusal(input)).toMatch(message);
    expect(refusal(input)).toContain(PLACE);
    expect(refusal(input)).not.toContain('\n');
  });

  it('refuses a file about another model, as two names that differ in case on one disk', () => {
    expect(() => parseBaselineAt(text, { model: 'Ranker', class: HEADER.class }, PLACE)).toThrow(
      /is about model "ranker" on class "9a1b2c3d4e5f", not "Ranker"/,
    );
    expect(parseBaselineAt(text, HEADER, PLACE)).toEqual(sample);
  });

  it('refuses to write what a git host would not take (G13)', () => {
    const huge = { ...sample, facts: { note: 'x'.repeat(91 * 2 ** 20) } };
    expect(() => serialiseBaseline(huge)).toThrow(/would take 91 MiB, git hosts refuse 100: prune/);
  });

  it('parses or refuses any mutation of its bytes', () => {
    const bytes: Buffer = Buffer.from(text);
    const edits = fc.array(
      fc.record({
        at: fc.nat(bytes.length - 1),
        byte: fc.nat(255),
        kind: fc.constantFrom('set', 'cut', 'insert', 'repeat'),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(edits, (list) => {
        const mutated = list.reduce<Buffer>((current, { at, byte, kind }) => mutate(current, at, byte, kind), bytes);
        expect(typeof refusal(mutated.toString('utf8'))).toBe('string');
      }),
      { numRuns: 2000 },
    );
  });

  it('parses or refuses any JSON', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('epochs', 'sessions', 'folded', 'facts', 'model', 'schema'),
        (value, key) => {
          expect(typeof refusal(JSON.stringify({ ...sample, [key]: value }))).toBe('string');
          expect(refusal(JSON.stringify(value))).not.toBe('');
        },
      ),
    );
  });
});

function mutate(bytes: Buffer, at: number, byte: number, kind: string): Buffer {
  const place = Math.min(at, Math.max(0, bytes.length - 1));
  const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place + 1)];
  if (kind === 'cut') return head;
  if (kind === 'set') return Buffer.concat([head, Buffer.of(byte), tail]);
  if (kind === 'insert') return Buffer.concat([head, Buffer.of(byte, byte), bytes.subarray(place)]);
  return Buffer.concat([head, bytes.subarray(0, place), tail]);
}
