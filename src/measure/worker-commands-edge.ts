import { median } from 'simple-statistics';
import { type Engine, loadEngine, type Session } from './engine-edge.ts';
import { writeOutputs } from './output-files-edge.ts';
import { readPool } from './pool-edge.ts';
import { readPeakBytes } from './process-memory-edge.ts';
import { type FeedPool, timeRuns } from './timing-loop-edge.ts';
import { isSteady } from './warm-up.ts';
import type { Command, CommandName, CommandOf, ReplyOf, Slot } from './worker-protocol.ts';

/** Runs of one model on one pool since its first: warm-up goes on where the memory runs ended. */
interface WarmHistory {
  readonly timesMs: number[];
  wallMs: number;
  cpuMs: number;
}

/** What a worker holds between commands. */
export interface WorkerState {
  engine: Engine | null;
  readonly sessions: Map<Slot, Session>;
  readonly pools: Map<string, FeedPool>;
  readonly history: Map<string, WarmHistory>;
}

export function createWorkerState(): WorkerState {
  return { engine: null, sessions: new Map(), pools: new Map(), history: new Map() };
}

const WINDOWS_IN_MINIMUM = 4;
const RUNS_AT_ONCE = 256;

type Handlers = {
  readonly [Name in CommandName]: (state: WorkerState, command: CommandOf<Name>) => Promise<ReplyOf<Name>>;
};

/** Carries out one command. Throws what the engine throws. */
export function handle(state: WorkerState, command: Command): Promise<unknown> {
  const handler = HANDLERS[command.do] as (state: WorkerState, command: Command) => Promise<unknown>;
  return handler(state, command);
}

const HANDLERS: Handlers = {
  open: async (state, { runtimeDir }) => {
    state.engine = loadEngine(runtimeDir);
    return { version: state.engine.version, backends: [...state.engine.backends] };
  },
  load: async (state, { slot, modelFile, options }) => {
    const engine = engineOf(state);
    const startMs = performance.now();
    const session = await engine.createSession(modelFile, options);
    const ms = performance.now() - startMs;
    state.sessions.set(slot, session);
    return { ms, inputs: session.inputMetadata.map(describe), outputs: session.outputMetadata.map(describe) };
  },
  unload: async (state, { slot }) => {
    const session = sessionOf(state, slot);
    state.sessions.delete(slot);
    session.endProfiling();
    await session.release();
    return {};
  },
  feed: async (state, { pool, file, inputs, size }) => {
    const built = readPool(file, inputs, size);
    state.pools.set(pool, { feeds: built.feeds, next: 0 });
    return { bytes: built.bytes };
  },
  run: async (state, { slot, pool, fetch }) => {
    const turn = await timeRuns(sessionOf(state, slot), poolOf(state, pool), fetch, 1);
    return { ms: turn.wallMs };
  },
  settle: async (state, command) => {
    const history = historyOf(state, command);
    while (history.timesMs.length < command.runs && history.wallMs < command.maxMs) await warm(state, command, 1);
    return { runs: history.timesMs.length, ms: history.wallMs };
  },
  warmUp,
  memory: async () => ({ peakBytes: readPeakBytes() }),
  rewind: async (state, { pool }) => {
    poolOf(state, pool).next = 0;
    return {};
  },
  chunk: async (state, { slot, pool, fetch, iterations }) => {
    const turn = await timeRuns(sessionOf(state, slot), poolOf(state, pool), fetch, iterations);
    return { timesMs: Array.from(turn.timesMs), wallMs: turn.wallMs, cpuMs: turn.cpuMs };
  },
  outputs: async (state, { slot, pool, directory }) => {
    const session = sessionOf(state, slot);
    const [feed] = poolOf(state, pool).feeds;
    const names = session.outputMetadata.map(({ name }) => name);
    const results = await session.run(feed ?? {}, names);
    return {
      outputs: writeOutputs(
        directory,
        names.map((name) => [name, results[name]] as const),
      ),
    };
  },
};

/** Runs until `minRuns` and `minMs` are spent since the first run and times are steady, or `capMs` is reached. */
async function warmUp(state: WorkerState, command: CommandOf<'warmUp'>): Promise<ReplyOf<'warmUp'>> {
  const windowMs = command.minMs / WINDOWS_IN_MINIMUM;
  const history = historyOf(state, command);
  const { timesMs } = history;
  const isDone = (): boolean =>
    timesMs.length >= command.minRuns &&
    history.wallMs >= command.minMs &&
    (history.wallMs >= command.capMs || isSteady(timesMs, windowMs));
  while (!isDone()) {
    const lastMs = timesMs.at(-1) ?? windowMs;
    await warm(state, command, Math.max(1, Math.min(RUNS_AT_ONCE, Math.floor(windowMs / 4 / lastMs))));
  }
  return {
    runs: timesMs.length,
    wallMs: history.wallMs,
    cpuMs: history.cpuMs,
    medianMs: median(timesMs.slice(Math.floor(timesMs.length / 2))),
    steady: isSteady(timesMs, windowMs),
  };
}

async function warm(state: WorkerState, command: CommandOf<'warmUp' | 'settle'>, iterations: number): Promise<void> {
  const turn = await timeRuns(sessionOf(state, command.slot), poolOf(state, command.pool), command.fetch, iterations);
  const history = historyOf(state, command);
  history.timesMs.push(...turn.timesMs);
  history.wallMs += turn.wallMs;
  history.cpuMs += turn.cpuMs;
}

function historyOf(state: WorkerState, { slot, pool }: CommandOf<'warmUp' | 'settle'>): WarmHistory {
  const key = JSON.stringify([slot, pool]);
  const history = state.history.get(key) ?? { timesMs: [], wallMs: 0, cpuMs: 0 };
  state.history.set(key, history);
  return history;
}

function engineOf(state: WorkerState): Engine {
  if (!state.engine) throw new Error('the worker has no engine yet');
  return state.engine;
}

function sessionOf(state: WorkerState, slot: Slot): Session {
  const session = state.sessions.get(slot);
  if (!session) throw new Error(`no model is loaded as ${slot}`);
  return session;
}

function poolOf(state: WorkerState, name: string): FeedPool {
  const pool = state.pools.get(name);
  if (!pool) throw new Error(`no feeds were built as ${name}`);
  return pool;
}

function describe(metadata: Session['inputMetadata'][number]): { name: string; dtype: string } {
  return { name: metadata.name, dtype: metadata.isTensor ? metadata.type : 'sequence' };
}
