import { mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ALL_FIELDS } from '../../src/measure/gpu-query.ts';

/** What the fake answers; see the script in nvidia-smi/. */
export interface Scenario {
  readonly fields?: readonly string[];
  /** `false`: this driver does not list its fields. */
  readonly help?: false;
  readonly cards?: readonly Readonly<Record<string, string>>[];
  /** `null`: the list of processes is refused. */
  readonly apps?: readonly Readonly<Record<string, string>>[] | null;
  readonly list?: string;
  readonly xml?: string;
  readonly fail?: { readonly exit: number; readonly text: string };
  readonly hang?: true;
  /** Only root may lock clocks. */
  readonly clocks?: 'forbidden';
}

export interface FakeSmi {
  /** The environment in which the fake is the nvidia-smi on PATH. */
  readonly env: NodeJS.ProcessEnv;
  /** Changes what it answers from now on. */
  set(scenario: Scenario): void;
  /** Argument lines of all calls so far. */
  calls(): string[];
  /** Resolves when a call whose arguments begin so has been made. */
  called(beginning: string): Promise<void>;
  remove(): void;
}

/** Puts a fake nvidia-smi on a PATH of its own. */
export function fakeSmi(scenario: Scenario): FakeSmi {
  const folder = mkdtempSync(join(tmpdir(), 'fake-smi-'));
  const file = join(folder, 'scenario.json');
  const log = join(folder, 'calls.log');
  writeFileSync(log, '');
  const set = (next: Scenario): void =>
    writeFileSync(file, JSON.stringify({ fields: ALL_FIELDS, cards: [], ...next, log }));
  const calls = (): string[] => readFileSync(log, 'utf8').trimEnd().split('\n');
  set(scenario);
  return {
    env: {
      PATH: [join(import.meta.dirname, 'nvidia-smi'), dirname(process.execPath)].join(delimiter),
      FAKE_NVIDIA_SMI: file,
    },
    set,
    calls,
    called: (beginning) =>
      new Promise((resolve) => {
        const watcher = watch(log, () => look());
        const look = (): void => {
          if (!calls().some((call) => call.startsWith(beginning))) return;
          watcher.close();
          resolve();
        };
        look();
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A healthy T4-like card as the CSV query shows it, cells by field. */
export function card(cells: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    index: '0',
    uuid: 'GPU-aaaa0000-0000-0000-0000-000000000001',
    name: 'Tesla T4',
    driver_version: '580.95.05',
    'memory.total': '15360',
    'memory.used': '3',
    'memory.free': '14910',
    'enforced.power.limit': '70.00',
    'power.draw.instant': '27.11',
    'clocks.current.sm': '585',
    'clocks.max.sm': '1590',
    'clocks.max.memory': '5001',
    'temperature.gpu': '41',
    'utilization.gpu': '0',
    pstate: 'P0',
    compute_mode: 'Default',
    persistence_mode: 'Enabled',
    'mig.mode.current': '[N/A]',
    'ecc.mode.current': 'Enabled',
    'ecc.errors.uncorrected.volatile.total': '0',
    gpu_recovery_action: 'None',
    'pcie.link.gen.gpucurrent': '3',
    'pcie.link.width.current': '16',
    compute_cap: '7.5',
    'clocks_event_reasons.active': '0x0000000000000001',
    'clocks_event_reasons_counters.sw_power_cap': '1000',
    'clocks_event_reasons_counters.sw_thermal_slowdown': '0',
    'clocks_event_reasons_counters.hw_thermal_slowdown': '0',
    'clocks_event_reasons_counters.hw_power_brake_slowdown': '0',
    ...cells,
  };
}
