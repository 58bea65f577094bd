import { spawn } from 'node:child_process';
import { NoVerdictError } from '../errors.ts';
import { describeAbsence, type GpuAbsence, refusedField, type SmiFailure } from './gpu-absence.ts';
import type { GpuSnapshot } from './gpu-health.ts';
import { type MigSlice, parseMigSliceState, parseMigSlices } from './gpu-mig.ts';
import {
  ALL_FIELDS,
  APP_FIELDS,
  chooseColumns,
  type GpuColumns,
  type GpuDevice,
  parseComputeApps,
  parseDevices,
  parseFieldHelp,
} from './gpu-query.ts';

const CSV = '--format=csv,noheader,nounits';

/** nvidia-smi gave no answer; the message is the reason for people. */
export class SmiError extends NoVerdictError {
  readonly absence: GpuAbsence;
  readonly failure: SmiFailure;
  constructor(failure: SmiFailure, timeoutMs: number) {
    const absence = describeAbsence(failure, timeoutMs);
    super(absence.reason);
    this.absence = absence;
    this.failure = failure;
  }
}

/** The tool, the environment it is found in and how long to wait for it. */
export class Smi {
  readonly #env: NodeJS.ProcessEnv;
  readonly #timeoutMs: number;
  constructor(env: NodeJS.ProcessEnv, timeoutMs: number) {
    this.#env = env;
    this.#timeoutMs = timeoutMs;
  }

  async #ask(args: readonly string[]): Promise<string> {
    const answer = await call(args, this.#env, this.#timeoutMs);
    if (typeof answer === 'string') return answer;
    throw new SmiError(answer, this.#timeoutMs);
  }

  /** All cards, by the fields this driver lists; one that lists none is asked and told off field by field. */
  async discover(): Promise<{ readonly columns: GpuColumns; readonly devices: readonly GpuDevice[] }> {
    const answer = await call(['--help-query-gpu'], this.#env, this.#timeoutMs);
    if (typeof answer !== 'string' && answer.kind !== 'exited') throw new SmiError(answer, this.#timeoutMs);
    const help = parseFieldHelp(typeof answer === 'string' ? answer : '');
    const supported = new Set(help.has('uuid') ? help : ALL_FIELDS);
    for (;;) {
      const columns = chooseColumns(supported);
      try {
        return { columns, devices: await this.devices(columns) };
      } catch (thrown) {
        const field = thrown instanceof SmiError ? refusedField(thrown.failure.text) : null;
        if (field === null || !supported.delete(field)) throw thrown;
      }
    }
  }

  /** One card, or all of them. */
  async devices(columns: GpuColumns, uuid?: string): Promise<GpuDevice[]> {
    const query = `--query-gpu=${columns.map(({ field }) => field).join(',')}`;
    return parseDevices(await this.#ask([query, CSV, ...(uuid === undefined ? [] : ['-i', uuid])]), columns);
  }

  /** MIG slices of all cards. */
  async slices(): Promise<MigSlice[]> {
    return parseMigSlices(await this.#ask(['-L']));
  }

  /** Compute processes of one card; null where the list is refused. */
  async apps(uuid: string): Promise<GpuSnapshot['apps']> {
    const answer = await call([`--query-compute-apps=${APP_FIELDS}`, CSV, '-i', uuid], this.#env, this.#timeoutMs);
    return typeof answer === 'string' ? parseComputeApps(answer) : null;
  }

  /** The CSV form tells memory and processes of the whole card only. */
  async narrow(card: GpuSnapshot, slice: MigSlice): Promise<GpuSnapshot> {
    const state = parseMigSliceState(await this.#ask(['-q', '-x', '-i', slice.parentUuid]), slice);
    const apps = card.apps?.filter((app) => state?.pids.includes(app.pid)) ?? null;
    const memoryUsedBytes = state?.usedBytes ?? null;
    return { ...card, apps, device: { ...card.device, memoryUsedBytes, memoryFreeBytes: state?.freeBytes ?? null } };
  }
}

/** Runs the tool without a shell; a process stuck in the driver cannot be killed, so it is not waited for. */
function call(args: readonly string[], env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string | SmiFailure> {
  return new Promise((resolve) => {
    const child = spawn('nvidia-smi', args, { env: { ...env, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.unref();
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ kind: 'timed-out', exitCode: null, text: stdout + stderr });
    }, timeoutMs);
    child.once('error', () => {
      clearTimeout(timer);
      resolve({ kind: 'missing', exitCode: null, text: '' });
    });
    child.once('close', (exitCode) => {
      clearTimeout(timer);
      resolve(exitCode === 0 ? stdout : { kind: 'exited', exitCode, text: `${stdout}\n${stderr}` });
    });
  });
}
