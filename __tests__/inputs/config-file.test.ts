import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RefusedError } from '../../src/errors.ts';
import { parseGateConfig } from '../../src/inputs/config-file.ts';

const FILE = '.github/model-gate.yml';

function faultsOf(text: string): string[] {
  try {
    parseGateConfig(text, FILE);
  } catch (error) {
    if (error instanceof RefusedError) return error.message.split('\n');
    throw error;
  }
  return [];
}

const WHOLE = `
version: 1
time-budget: 20m
models:
  - id: ranker
    path: models/ranker.onnx
    providers: [cuda]
    batches: [1, 32]
    inputs:
      dense: {dims: [batch, 13], fill: normal}
      ids: {dims: [batch, 26], fill: zipf, range: [0, 99999], seed: 7}
    session: {graph-optimization: all, threads: 4}
    metrics:
      latency.p50: {margin: 2%}
      latency.p99: {max: 12 ms}
      memory.gpu.peak: {margin: {percent: 2, floor: 16 MiB}}
  - id: exported
    watch: [train/**, export.py, uv.lock]
    prepare: python export.py --out {output}
waivers:
  - {model: ranker, metric: latency.p50, ceiling: 9%, until: 2027-01-31, reason: "embedding dim doubled, launch review 12"}
baseline: {store: branch, branch: model-gate-baselines, max-age: 30d, creep-margin: 5%}
`;

describe('reading the gate config', () => {
  it('reads every part, quantities in canonical units', () => {
    const config = parseGateConfig(WHOLE, FILE);
    expect(config['time-budget']).toBe(20 * 60e3);
    expect(config.models?.[0]?.metrics).toEqual({
      'latency.p50': { margin: 0.02 },
      'latency.p99': { max: { value: 12, unit: 'ms' } },
      'memory.gpu.peak': { margin: { percent: 2, floor: { value: 16 * 2 ** 20, unit: 'B' } } },
    });
    expect(config.waivers?.[0]).toMatchObject({ ceiling: 0.09, until: '2027-01-31' });
    expect(config.baseline?.['max-age']).toBe(30 * 86400e3);
  });

  it.each([
    ['models/ranker.onnx', 'ranker'],
    ['a/det.v4.onnx', 'det.v4'],
  ])('takes the id of %s from its base name', (path, id) => {
    expect(parseGateConfig(`version: 1\nmodels: [{path: ${path}}]`, FILE).models?.[0]?.id).toBe(id);
  });

  it('leaves the ids of a glob to the files it matches', () => {
    expect(parseGateConfig('version: 1\nmodels: [{path: "models/**/*.onnx"}]', FILE).models?.[0]?.id).toBeUndefined();
  });

  it('lets sections share a part through an anchor', () => {
    const text = 'version: 1\nmodels:\n- &a {path: a.onnx, batches: [4]}\n- {<<: *a, path: b.onnx}\n';
    expect(parseGateConfig(text, FILE).models).toEqual([
      { id: 'a', path: 'a.onnx', batches: [4] },
      { id: 'b', path: 'b.onnx', batches: [4] },
    ]);
  });

  it.each<[string, string, string]>([
    [
      'an unknown key',
      'version: 1\nmodels:\n  - path: a.onnx\n    bacthes: [1]\n',
      '4:5: models[0].bacthes: unknown key "bacthes": did you mean "batches"?',
    ],
    [
      'an unknown key far from all',
      'version: 1\nbaseline: {zzzzzz: 1}\n',
      '2:12: baseline.zzzzzz: unknown key "zzzzzz"; known here: store, branch, max-age, creep-margin',
    ],
    [
      'an unknown key inside a union',
      'version: 1\nmetrics: {throughput: {margin: {percentt: 2}}}\n',
      'metrics.throughput.margin.percentt: unknown key "percentt": did you mean "percent"?',
    ],
    ['a key given twice', 'version: 1\nversion: 1\n', '2:1: Map keys must be unique'],
    ['a missing version', 'models: []\n', '1:1: version: is missing'],
    ['another version', 'version: 2\n', '1:1: version: expected 1'],
    ['an empty file', '', '1:1: expected object, received null'],
    ['a list', '- 1\n', '1:1: expected object, received array'],
    [
      'a duration without a unit',
      'version: 1\ntime-budget: "20"\n',
      'time-budget: expected a duration such as "20m", "90s" or "30d", got "20"',
    ],
    [
      'a margin that is no share',
      'version: 1\nmetrics: {latency.p50: {margin: 3 ms}}\n',
      'metrics.latency.p50.margin: expected a percentage such as "3%", got "3 ms"',
    ],
    [
      'a share without its unit',
      'version: 1\nmetrics: {latency.p50: {margin: 3}}\n',
      '2:25: metrics.latency.p50.margin: a bare 3 would be 300 %: write "3%" or 0.03',
    ],
    [
      'a ceiling without its unit',
      'version: 1\nwaivers: [{model: a, metric: latency.p50, ceiling: "9", until: 2027-01-31, reason: x}]\n',
      'waivers[0].ceiling: a bare 9 would be 900 %: write "9%" or 0.09',
    ],
    [
      'a limit with a comma',
      'version: 1\nmetrics: {latency.p50: {max: "1,5 ms"}}\n',
      'expected a number with its unit such as "12 ms" or "16 MiB", got "1,5 ms"',
    ],
    [
      'a limit in a foreign unit',
      'version: 1\nmetrics: {latency.p50: {max: 16 MiB}}\n',
      '2:25: metrics.latency.p50.max: is in B, but the metric is in ms',
    ],
    [
      'a slip in a metric',
      'version: 1\nmetrics: {latncy.p50: {gate: true}}\n',
      'metrics.latncy.p50: unknown metric "latncy.p50": did you mean "latency.p50"?',
    ],
    [
      'a slip in a percentile',
      'version: 1\nmetrics: {latency.p59: {max: 1 ms}}\n',
      'unknown metric "latency.p59": did you mean "latency.p50"?',
    ],
    [
      'a slip in a waiver',
      'version: 1\nwaivers: [{model: a, metric: latency.p5O, ceiling: 9%, until: 2027-01-31, reason: x}]\n',
      '2:22: waivers[0].metric: unknown metric "latency.p5O": did you mean "latency.p50"?',
    ],
    [
      'a choice that is none',
      'version: 1\nmodels: [{path: a.onnx, session: {graph-optimization: extendd}}]\n',
      'expected one of "disabled", "basic", "extended", "layout", "all": did you mean "extended"?',
    ],
    [
      'a model without a source',
      'version: 1\nmodels: [{id: a}]\n',
      'models[0]: needs `path` (a file in the repository), or `watch` and `prepare`',
    ],
    ['watch without prepare or path', 'version: 1\nmodels: [{id: a, watch: [x]}]\n', 'models[0]: needs `path`'],
    [
      'prepare without watch',
      'version: 1\nmodels: [{id: a, prepare: "x {output}"}]\n',
      'models[0].prepare: needs `watch`',
    ],
    [
      'prepare without an output',
      'version: 1\nmodels: [{id: a, watch: [x], prepare: make}]\n',
      'models[0].prepare: must hold {output}',
    ],
    [
      'two models of one id',
      'version: 1\nmodels: [{path: a/m.onnx}, {path: b/m.onnx}]\n',
      '2:28: models[1]: "m" is the id of models[0] too: give each its own `id`',
    ],
    [
      'a path out of the repository',
      'version: 1\nmodels: [{path: ../m.onnx}]\n',
      'models[0].path: must be relative to the repository',
    ],
    ['an absolute path', 'version: 1\nmodels: [{path: /m.onnx}]\n', 'models[0].path: must be relative'],
    [
      'an id that is a folder name',
      'version: 1\nmodels: [{id: "..", path: m.onnx}]\n',
      'models[0].id: may not begin with',
    ],
    ['an id with a slash', 'version: 1\nmodels: [{id: a/b, path: m.onnx}]\n', 'models[0].id: may hold only letters'],
    [
      'a waiver without a reason',
      'version: 1\nwaivers: [{model: a, metric: latency.p50, ceiling: 9%, until: 2027-01-31}]\n',
      'waivers[0].reason: is missing',
    ],
    [
      'a date that is none',
      'version: 1\nwaivers: [{model: a, metric: b, ceiling: 9%, until: 2027-02-31, reason: x}]\n',
      'waivers[0].until: ',
    ],
    ['broken YAML', 'version: 1\nmodels: [\n', ':'],
    ['a second document', 'version: 1\n---\nversion: 1\n', 'multiple documents'],
    ['a tag nobody knows', 'version: !!js/function 1\n', 'Unresolved tag'],
  ])('refuses %s, naming file, line and column', (_, text, expected) => {
    const [first] = faultsOf(text);
    expect(first).toMatch(/^\.github\/model-gate\.yml:\d+:\d+: /);
    expect(first).toContain(expected);
  });

  it('gives every fault its own line', () => {
    expect(faultsOf('version: 1\nmodelss: []\nwatchh: []\ntime-budget: soon\n')).toHaveLength(3);
  });

  it('does not grow a few lines to gigabytes', () => {
    const names = 'abcdefghij'.split('');
    const bomb = names.map(
      (name, i) =>
        `${name}: &${name} [${Array(9)
          .fill(i === 0 ? 'x' : `*${names[i - 1]}`)
          .join(',')}]`,
    );
    expect(faultsOf(`version: 1\n${bomb.join('\n')}\n`)).toEqual([
      `${FILE}:1:1: Excessive alias count indicates a resource exhaustion attack`,
    ]);
  });

  it.each([
    ['key', 'version: 1\n"a\\n::error::x\\u001b[31m": 1\n'],
    ['value', 'version: 1\ntime-budget: "a\\n::error::x\\u001b[31m"\n'],
  ])('keeps control characters of a %s out of its messages', (_, text) => {
    const faults = faultsOf(text);
    expect(faults).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be absent
    expect(faults[0]).not.toMatch(/[\u0000-\u001f]/);
  });

  it('reads a metric that only files know, and those that compare outputs', () => {
    const config = parseGateConfig(
      'version: 1\nmetrics: {cost.usd: {margin: 1%}, output.scores.max-abs: {max: 0.001}}',
      FILE,
    );
    expect(Object.keys(config.metrics ?? {})).toEqual(['cost.usd', 'output.scores.max-abs']);
  });

  it('either reads or refuses any text, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((s) => `version: 1\n${s}`),
        ),
        (text) => {
          const faults = faultsOf(text);
          expect(faults.every((fault) => fault.startsWith(`${FILE}:`))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});
