import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acceptSessions } from './baseline/baseline-commands.ts';
import type { BaselineStore, WriteReport } from './baseline/baseline-store.ts';
import { nameMeasuredModels } from './cli/read-files-edge.ts';
import { RefusedError } from './errors.ts';
import type { GateConfig } from './inputs/gate-config.ts';
import type { Measurement } from './measure/measurement.ts';
import { parseMeasurement } from './measure/measurement-file.ts';
import { sessionsToStore } from './publish/baseline-session.ts';
import { judge } from './verdict/judge.ts';

export interface AcceptRequest {
  /** Folder with the measurement files of a run. */
  readonly results: string;
  readonly config: GateConfig;
  /** Starts an epoch whatever the verdict; null accepts only what passed. */
  readonly reason: string | null;
  readonly now: Date;
}

/**
 * Judges the files of a run again and stores what they measured.
 * @throws RefusedError for missing files, or for models that did not pass and have no reason.
 */
export async function acceptResults(store: BaselineStore, request: AcceptRequest): Promise<WriteReport> {
  const head = await readFileOf('head', request.results);
  if (head === null)
    throw new RefusedError(
      `${request.results} holds no head.measurement.json: run the gate first, or name its --results`,
    );
  const base = await readFileOf('base', request.results);
  const config = nameMeasuredModels(request.config, head);
  const verdict = judge({ base, head, config, today: request.now.toISOString().slice(0, 10) });
  const sessions = sessionsToStore({ base, head, verdict, acceptedAt: request.now.toISOString() });
  return acceptSessions(store, sessions, request.reason);
}

/** One arm's file of a results folder; null where there is none. @throws RefusedError for a broken one. */
async function readFileOf(arm: 'base' | 'head', folder: string): Promise<Measurement | null> {
  const name = `${arm}.measurement.json`;
  const text = await readFile(join(folder, name), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return null;
    throw new RefusedError(`${name} in ${folder} cannot be read (${thrown.code ?? 'unknown'}): check its rights`);
  });
  return text === null ? null : parseMeasurement(text, name);
}
