/** A slower life that a process draws at its start: share of processes, and how much slower in log. */
export interface ProcessMode {
  readonly share: number;
  readonly log: number;
}

/** What disturbs a measurement. Sizes are standard deviations of logs: 0.01 is about 1 %. */
export interface Scenario {
  readonly id: string;
  readonly text: string;
  /** Independent from iteration to iteration. */
  readonly jitter: number;
  /** Kept by a process for its life. */
  readonly process: number;
  readonly mode: ProcessMode | null;
  /** First-order dependence of successive iterations of one process. */
  readonly dependence: { readonly phi: number; readonly sd: number } | null;
  /** Iterations multiplied by 1 + an exponential number. */
  readonly spikes: { readonly share: number; readonly mean: number } | null;
  /** Random walk of the machine over the time of one process. */
  readonly drift: number;
  /** Slow waves of the machine, several processes long. */
  readonly waves: number;
  /** Rise of all times over the first 20 process starts, then steady. */
  readonly ramp: number;
  /** A neighbour that takes turns of being busy, and what each burst costs. */
  readonly bursts: { readonly low: number; readonly high: number } | null;
  /** Peak memory: spread, and a higher mode that some starts draw. */
  readonly memory: { readonly sd: number; readonly mode: ProcessMode | null };
}

const QUIET: Omit<Scenario, 'id' | 'text'> = {
  jitter: 0.01,
  process: 0.0025,
  mode: null,
  dependence: null,
  spikes: null,
  drift: 0,
  waves: 0,
  ramp: 0,
  bursts: null,
  memory: { sd: 0.002, mode: null },
};
const MEMORY_MODE = { sd: 0.002, mode: { share: 0.4, log: Math.log(1.06) } };

/** The nine kinds of noise. Sizes follow what was measured on real machines; statistics are in the page this writes. */
export const SCENARIOS: readonly Scenario[] = [
  { id: 'quiet', text: 'jitter of 1 %, processes differ by 0.25 %', ...QUIET },
  { ...QUIET, id: 'lognormal', text: 'jitter of 10 %, processes differ by 1 %', jitter: 0.1, process: 0.01 },
  {
    ...QUIET,
    id: 'bimodal',
    text: '15 % of processes are 6 % slower for life, 40 % take 6 % more memory',
    mode: { share: 0.15, log: Math.log(1.06) },
    memory: MEMORY_MODE,
  },
  { ...QUIET, id: 'drift', text: 'the machine wanders by 0.8 % over the time of a process', drift: 0.008 },
  {
    ...QUIET,
    id: 'autocorrelated',
    text: 'successive iterations depend on each other (φ 0.97, 4.7 %), the machine moves in slow waves of 1 %',
    dependence: { phi: 0.97, sd: 0.047 },
    waves: 0.01,
  },
  {
    ...QUIET,
    id: 'gc',
    text: '2 % of iterations take five times as long on average',
    spikes: { share: 0.02, mean: 4 },
  },
  { ...QUIET, id: 'thermal', text: 'everything gets 6 % slower over the first 20 process starts', ramp: 0.06 },
  {
    ...QUIET,
    id: 'neighbour',
    text: 'bursts of 8 to 40 % during 30 % of the time',
    bursts: { low: Math.log(1.08), high: Math.log(1.4) },
  },
  {
    id: 'all together',
    text: 'all of the above, the modes and the dependence at half their size',
    jitter: 0.05,
    process: 0.007,
    mode: { share: 0.05, log: Math.log(1.05) },
    dependence: { phi: 0.97, sd: 0.0235 },
    spikes: { share: 0.01, mean: 4 },
    drift: 0.004,
    waves: 0.01,
    ramp: 0.03,
    bursts: { low: Math.log(1.08), high: Math.log(1.4) },
    memory: MEMORY_MODE,
  },
];
