/** What one key of the config means, for editors and `docs/configuration.md`. */
export interface KeyText {
  readonly text: string;
  /** What holds where the key is not given, in words; absent where the text says it. */
  readonly unset?: string;
}

const POLICY = {
  margin: {
    text: 'Change that is still allowed: a share such as `3%`, or `percent` with an absolute `floor` of which both must be exceeded.',
    unset: "the metric's own",
  },
  'margin.percent': { text: 'Allowed change in percent.' },
  'margin.floor': { text: 'Allowed absolute change, with its unit, such as `16 MiB`.', unset: "the metric's own" },
  gate: {
    text: '`true` lets the row decide, `advisory` judges and shows it, `false` only shows it.',
    unset: "the metric's own",
  },
  max: { text: "Upper limit on head's own value, with its unit, such as `12 ms`.", unset: 'none' },
  min: { text: "Lower limit on head's own value, with its unit.", unset: 'none' },
  'max-increase': { text: 'Largest allowed increase from base to head, with its unit.', unset: 'none' },
} satisfies Record<string, KeyText>;

function policyAt(place: string): [string, KeyText][] {
  return Object.entries(POLICY).map(([key, text]) => [`${place}.*.${key}`, text]);
}

/** Every key of the config by its place; `[]` is any entry of a list, `*` any name. */
export const KEY_TEXTS: ReadonlyMap<string, KeyText> = new Map<string, KeyText>([
  ['version', { text: 'Version of this format: `1`.' }],
  ['time-budget', { text: 'Longest time to measure, such as `20m`.', unset: '`20m`' }],
  ['models', { text: 'The models to gate.', unset: 'every changed `*.onnx`' }],
  [
    'models[].id',
    { text: 'Name in reports and baselines.', unset: "the file's base name; made from the path for a glob" },
  ],
  ['models[].path', { text: 'The ONNX file, or a glob of such files, relative to the repository.' }],
  ['models[].base', { text: 'A file to compare with, in place of the one git has at the base commit.', unset: 'git' }],
  [
    'models[].watch',
    {
      text: 'Globs of files whose change means that the model may have changed; with `prepare` it is then built anew.',
    },
  ],
  [
    'models[].prepare',
    {
      text: "Shell command that builds the model, run in each arm's own checkout. `{output}` is the file to write, `{model}` the file of `path`. It gets no tokens and no secrets from the environment.",
    },
  ],
  [
    'models[].builds',
    {
      text: 'Builds per arm where `prepare` does not give the same bytes twice; below 6 such a model stays without a verdict.',
      unset: '`1`',
    },
  ],
  [
    'models[].timing-cache',
    { text: 'Read-only autotune or timing cache that both arms share, in place of several builds.', unset: 'none' },
  ],
  [
    'models[].providers',
    {
      text: '`cpu`, `cuda`, `tensorrt` (experimental) or `webgpu`.',
      unset: '`cuda` where an NVIDIA GPU is present, else `cpu`',
    },
  ],
  ['models[].batches', { text: 'Batch sizes; each is a case of its own.', unset: '`[1]`' }],
  ['models[].dims', { text: 'Sizes of symbolic dimensions, such as `seq: 128`; `batch` is set by `batches`.' }],
  ['models[].inputs', { text: "What is fed, by the input's name.", unset: "guessed from the model's signature" }],
  [
    'models[].inputs.*.dims',
    { text: 'Shape; names such as `batch` stand for symbolic dimensions.', unset: "the model's" },
  ],
  ['models[].inputs.*.dtype', { text: 'Element type, such as `float32` or `int64`.', unset: "the model's" }],
  ['models[].inputs.*.fill', { text: 'How values are drawn.', unset: '`normal` for floats, `uniform` for integers' }],
  ['models[].inputs.*.range', { text: 'Lowest and highest value, both included.' }],
  ['models[].inputs.*.value', { text: 'The value of a `constant` fill.' }],
  ['models[].inputs.*.seed', { text: 'Seed of the draw.', unset: "made from the case's id" }],
  ['models[].inputs.*.file', { text: 'A `.npy` or `.npz` file with the values.' }],
  ['models[].inputs.*.key', { text: 'The array in an `.npz` file.', unset: "the input's name" }],
  [
    'models[].session',
    {
      text: 'Options of the ONNX Runtime session. They belong to the arm: base is measured with those it has at the base commit.',
    },
  ],
  ['models[].session.graph-optimization', { text: 'Graph optimisation level.', unset: '`all`' }],
  ['models[].session.threads', { text: 'Threads inside an operator.', unset: 'the cores granted to the job' }],
  ['models[].session.inter-op-threads', { text: 'Threads across operators.', unset: '`1`' }],
  ['models[].session.execution-mode', { text: 'Whether operators may run side by side.', unset: '`sequential`' }],
  ['models[].session.memory-arena', { text: "Whether the CPU's memory arena is used.", unset: '`true`' }],
  ['models[].session.memory-pattern', { text: 'Whether memory patterns are used.', unset: '`true`' }],
  ['models[].session.spinning', { text: 'Whether idle threads spin.', unset: "ONNX Runtime's" }],
  ['models[].session.device-id', { text: 'Device number among those visible.', unset: '`0`' }],
  [
    'models[].session.config',
    { text: 'Session config entries of ONNX Runtime, such as `session.disable_prepacking: "1"`.' },
  ],
  ['models[].fetch', { text: 'Which outputs are fetched in timed runs.', unset: '`smallest`' }],
  [
    'models[].pool',
    { text: 'Number of distinct feeds that both arms cycle through.', unset: 'sized to exceed the last-level cache' },
  ],
  ['models[].metrics', { text: "Policy by metric, before the config's own `metrics`." }],
  ...policyAt('models[].metrics'),
  ['models[].cases', { text: "Policy of single cases by their id, such as `ranker/cuda/b32/c1`, before the model's." }],
  ['models[].cases.*.metrics', { text: 'Policy by metric.' }],
  ...policyAt('models[].cases.*.metrics'),
  ['models[].arms', { text: 'What differs between the arms beside the model: gates a runtime upgrade.' }],
  ['models[].arms.base', { text: 'The base arm.' }],
  [
    'models[].arms.base.runtime',
    { text: 'Folder of the `onnxruntime-node` package base runs on.', unset: "the gate's own" },
  ],
  ['models[].arms.head', { text: 'The head arm.' }],
  [
    'models[].arms.head.runtime',
    { text: 'Folder of the `onnxruntime-node` package head runs on.', unset: "the gate's own" },
  ],
  ['metrics', { text: 'Policy by metric for all models; a metric from files may be named too.' }],
  ...policyAt('metrics'),
  ['waivers', { text: 'Changes that are accepted for a while; each replaces the margin of one metric of one model.' }],
  ['waivers[].model', { text: "The model's id." }],
  ['waivers[].metric', { text: "The metric's id." }],
  ['waivers[].case', { text: "The case's id.", unset: 'all cases of the model' }],
  ['waivers[].ceiling', { text: 'Change that is allowed instead, such as `9%`.' }],
  ['waivers[].until', { text: 'Last day it holds, as `2027-01-31`.' }],
  ['waivers[].reason', { text: 'Why, for those who read the report.' }],
  [
    'watch',
    {
      text: 'Globs of further files that may change speed without changing a model; a change of those alone is reported as not measured.',
      unset: 'Dockerfiles, lock files, `*.cu`, `*.so`, this file',
    },
  ],
  ['launch', { text: 'How a launch gate (`release`, `deployment`) judges.' }],
  ['launch.advisory', { text: 'Whether advisory rows decide a launch.', unset: '`advisory`' }],
  ['baseline', { text: 'Stored baselines.' }],
  [
    'baseline.store',
    { text: 'Where they are kept: files in the repository, or a branch of their own.', unset: '`directory`' },
  ],
  ['baseline.branch', { text: 'The branch of the branch store.', unset: '`model-gate-baselines`' }],
  ['baseline.max-age', { text: 'Age from which a baseline is warned about.', unset: '`30d`' }],
  ['baseline.creep-margin', { text: 'Slow growth that is allowed since the last accepted step.', unset: '`5%`' }],
]);
