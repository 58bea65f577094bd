import { describe, expect, it } from '@jest/globals';
import { RefusedError } from '../../src/errors.ts';
import { parseMeasurement } from '../../src/measure/measurement-file.ts';
import { mergeMeasurements } from '../../src/measure/merge-measurements.ts';
import { fileText } from '../verdict/measurement-text.ts';

const text = (metrics: object, values: Record<string, number>, rounds?: object) =>
  fileText('head', {
    cases: [
      { entry: { metrics, restarts: [{ index: 0, valid: true, notes: [], values, ...(rounds ? { rounds } : {}) }] } },
    ],
  });

describe('parseMeasurement', () => {
  it('converts values and rounds to the canonical unit', () => {
    const file = parseMeasurement(
      text(
        { 'latency.p50': { unit: 's' }, 'memory.host.peak': { unit: 'MiB' } },
        { 'latency.p50': 0.25, 'memory.host.peak': 2 },
        { 'latency.p50': [0.2, 0.3] },
      ),
      'f',
    );
    const restart = file.entries[0]?.restarts[0];
    expect(restart?.values).toEqual({ 'latency.p50': 250, 'memory.host.peak': 2 ** 21 });
    expect(restart?.rounds).toEqual({ 'latency.p50': [200, 300] });
    expect(file.entries[0]?.metrics['latency.p50']).toEqual({ unit: 'ms', better: 'lower', definition: 'ort-run@1' });
  });

  it('reads a file that begins with a byte order mark', () => {
    const plain = text({}, { 'latency.p50': 1 });
    expect(parseMeasurement(`\uFEFF${plain}`, 'f')).toEqual(parseMeasurement(plain, 'f'));
  });

  it('reads the same values again from what it wrote', () => {
    const once = parseMeasurement(text({ 'latency.p50': { unit: 'us' } }, { 'latency.p50': 17.3 }), 'f');
    expect(parseMeasurement(JSON.stringify(once), 'f')).toEqual(once);
  });

  it.each([
    [
      'a unit of another kind',
      { 'latency.p50': { unit: 'MB' } },
      { 'latency.p50': 1 },
      /metrics\["latency\.p50"\]\.unit is MB, which does not convert to ms/,
    ],
    [
      'an unknown unit',
      { tpot: { unit: 'fortnight', better: 'lower', definition: 'd' } },
      { tpot: 1 },
      /unit "fortnight" is unknown: use one of ns, us/,
    ],
    [
      'a turned direction',
      { 'latency.p50': { better: 'higher' } },
      { 'latency.p50': 1 },
      /better is higher, but for this metric lower is better/,
    ],
    [
      'a metric without a statement',
      {},
      { tpot: 1 },
      /metrics\["tpot"\] is not in the metric table and does not state unit, better, definition/,
    ],
    [
      'a value too large to convert',
      { 'latency.p50': { unit: 's' } },
      { 'latency.p50': 1e308 },
      /restarts\[0\] holds 1e\+308 for "latency\.p50", too large to convert/,
    ],
  ])('refuses %s', (_, metrics, values, message) => {
    expect(() => parseMeasurement(text(metrics, values), 'f.json')).toThrow(RefusedError);
    expect(() => parseMeasurement(text(metrics, values), 'f.json')).toThrow(message);
  });

  it.each([
    [
      'a newer schema',
      (t: string) => t.replace('measurement@1', 'measurement@2'),
      /measurement@2 is newer than this model-gate reads: update/,
    ],
    ['another file', () => '{"schema":"model-gate/verdict@1"}', /schema is not model-gate\/measurement@1/],
    ['a list', () => '[]', /schema is not/],
    [
      'UTF-16 text',
      (t: string) => Buffer.from(t, 'utf16le').toString('utf8'),
      /not UTF-8 text, perhaps UTF-16: write it as UTF-8/,
    ],
    [
      'more rounds than can be compared in time',
      () => text({}, { 'latency.p50': 1 }, { 'latency.p50': Array(1001).fill(1) }),
      /rounds\["latency\.p50"\]: Too big: expected array to have <=1000 items/,
    ],
    ['a file that was cut off', (t: string) => t.slice(0, -20), /not valid JSON, perhaps cut off/],
    ['a missing part', (t: string) => t.replace('"session":"s1",', ''), /: session: .*; correct it$/],
    ['a negative index', (t: string) => t.replace('"index":0', '"index":-1'), /entries\[0\]\.restarts\[0\]\.index/],
  ])('refuses %s in one line', (_, edit, message) => {
    const broken = edit(text({}, { 'latency.p50': 1 }));
    expect(() => parseMeasurement(broken, 'f.json')).toThrow(message);
    try {
      parseMeasurement(broken, 'a\nb.json');
    } catch (thrown) {
      expect((thrown as Error).message).not.toContain('\n');
      expect((thrown as Error).message.startsWith('a\\nb.json: ')).toBe(true);
    }
  });
});

describe('mergeMeasurements', () => {
  const shard = (session: string, id: string, k: number, rows: readonly string[]) =>
    parseMeasurement(
      fileText('head', {
        session,
        manifest: {
          seed: 's',
          k,
          looks: [6],
          rows: rows.map((row) => ({ case: row, metric: 'latency.p50', role: 'gated' })),
        },
        cases: [{ id, restarts: [{ 'latency.p50': 1 }] }],
      }),
      session,
    );

  it('keeps the k of a plan, and adds up where each file counted its own rows', () => {
    const planned = mergeMeasurements([shard('1', 'a', 4, ['a', 'b']), shard('2', 'b', 4, ['a', 'b'])]);
    expect(planned.manifest).toMatchObject({ k: 4, rows: [{ case: 'a' }, { case: 'b' }] });
    expect(mergeMeasurements([shard('1', 'a', 1, ['a']), shard('2', 'b', 1, ['b'])]).manifest?.k).toBe(2);
  });

  it('lets each entry keep its session and environment', () => {
    const merged = mergeMeasurements([shard('1', 'a', 1, ['a']), shard('2', 'b', 1, ['b'])]);
    expect(merged.entries.map((entry) => [entry.case.id, entry.session, entry.environment?.class])).toEqual([
      ['a', '1', 'c1'],
      ['b', '2', 'c1'],
    ]);
  });

  it('refuses arms that are mixed, and no file at all', () => {
    const base = parseMeasurement(fileText('base', { cases: [] }), 'base');
    expect(() => mergeMeasurements([base, shard('1', 'a', 1, [])])).toThrow(/base and head are mixed/);
    expect(() => mergeMeasurements([])).toThrow(/no measurement file/);
  });
});
