import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CancelledError } from '../errors.ts';
import type { MeasureProgress } from '../measure/measurer-options.ts';
import { openWorkbench, type Workbench } from '../measure/workbench-edge.ts';
import { parseCount } from './parse-options.ts';
import { tell } from './terminal-edge.ts';

export interface LocalWorkbenchOptions {
  readonly session: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MeasureProgress) => void;
}

/** Two jobs rarely queue for longer than one of them may take. */
const LOCK_LIMIT_MS = 30 * 60_000;

/** The machine of a command in a terminal: settings come from the environment, as production's do. @throws RefusedError for a wrong one. */
export function openLocalWorkbench(options: LocalWorkbenchOptions): Workbench {
  const clocks = process.env['MODEL_GATE_LOCK_CLOCKS'];
  return openWorkbench({
    ...options,
    distFolder: dirname(fileURLToPath(import.meta.url)),
    env: process.env,
    feedRoot: process.cwd(),
    onnxruntimePath: process.env['MODEL_GATE_ONNXRUNTIME_PATH'] ?? null,
    installCuda: false,
    lockDir: process.env['MODEL_GATE_LOCK_DIR'] ?? null,
    lockLimitMs: LOCK_LIMIT_MS,
    lockClocksMHz: clocks === undefined || clocks === '' ? null : parseCount('MODEL_GATE_LOCK_CLOCKS')(clocks),
    tell,
  });
}

/** Aborts at Ctrl-C or a termination; a second one ends the process at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort(new CancelledError()));
  return controller.signal;
}
