import { RefusedError } from '../errors.ts';
import { type AcceptedSession, appendSessions, type BaselineHeader, startEpoch } from './append-session.ts';
import {
  type BaselineMetric,
  type BaselineSummary,
  describeMetrics,
  readFiles,
  summarise,
} from './baseline-overview.ts';
import type { Epoch } from './baseline-schema.ts';
import type { BaselineStore, WriteReport } from './baseline-store.ts';
import { printable } from './printable.ts';

export interface BaselineFault {
  readonly path: string;
  readonly fault: string;
}

export interface BaselineList {
  readonly place: string;
  readonly baselines: readonly BaselineSummary[];
  readonly faults: readonly BaselineFault[];
}

/** Every baseline of the store, sorted by model; broken files are listed as faults. */
export async function listBaselines(store: BaselineStore): Promise<BaselineList> {
  const files = readFiles(await store.files(null));
  return {
    place: store.place,
    baselines: files
      .flatMap((file) => (file.baseline === null ? [] : [summarise(file.path, file.baseline)]))
      .sort((a, b) => (`${a.model} ${a.class}` < `${b.model} ${b.class}` ? -1 : 1)),
    faults: files.flatMap(({ path, fault }) => (fault === null ? [] : [{ path, fault }])),
  };
}

export interface BaselineDetails extends BaselineSummary {
  readonly facts: BaselineHeader['facts'];
  readonly epochs: readonly Epoch[];
  readonly metrics: readonly BaselineMetric[];
}

/** One model's baselines in full, of every class. @throws RefusedError where there is none, or a file is broken. */
export async function showBaseline(store: BaselineStore, model: string): Promise<BaselineDetails[]> {
  const files = readFiles(await store.files(model));
  const broken = files.find((file) => file.fault !== null);
  if (broken?.fault) throw new RefusedError(broken.fault);
  if (files.length === 0)
    throw new RefusedError(`no baseline of "${printable(model)}" in ${store.place}: see baseline list`);
  return files.flatMap(({ path, baseline }) =>
    baseline === null
      ? []
      : [
          {
            ...summarise(path, baseline),
            facts: baseline.facts,
            epochs: baseline.epochs,
            metrics: describeMetrics(baseline),
          },
        ],
  );
}

/** Every file that can't be used, and why; empty for a sound store. */
export async function verifyBaselines(
  store: BaselineStore,
): Promise<Pick<BaselineList, 'place' | 'faults'> & { files: number }> {
  const { place, baselines, faults } = await listBaselines(store);
  return { place, faults, files: baselines.length + faults.length };
}

/** Sessions of one model, and why they may not become reference by themselves. */
export interface SessionGroup {
  readonly header: BaselineHeader;
  readonly sessions: readonly AcceptedSession[];
  /** Null for healthy sessions that passed. */
  readonly whyNot: string | null;
}

/**
 * Stores sessions as accepted: appended where they passed; as the start of an epoch where a reason is given.
 * @throws RefusedError for sessions that did not pass, or nothing to accept, without writing anything.
 */
export async function acceptSessions(
  store: BaselineStore,
  groups: readonly SessionGroup[],
  reason: string | null,
): Promise<WriteReport> {
  const held = groups.find((group) => group.whyNot !== null);
  if (reason === null && held) {
    throw new RefusedError(
      `"${printable(held.header.model)}" ${held.whyNot}: accept it with --reason TEXT if that is meant`,
    );
  }
  const wanted = groups.filter((group) => group.sessions.length > 0);
  if (wanted.length === 0)
    throw new RefusedError('the files hold no measured session to accept: measure the models first');
  const changes = wanted.map(({ header, sessions }) => ({
    address: header,
    change: (current: Parameters<typeof startEpoch>[0]) =>
      reason === null ? appendSessions(current, header, sessions) : startEpoch(current, header, sessions, reason),
  }));
  return store.update(changes, commitMessage(wanted, reason));
}

/** Stores what passed and nothing else: the gate's own write after a push. Null where there is nothing to store. */
export async function storePassed(store: BaselineStore, groups: readonly SessionGroup[]): Promise<WriteReport | null> {
  const passed = groups.filter((group) => group.whyNot === null && group.sessions.length > 0);
  return passed.length === 0 ? null : acceptSessions(store, passed, null);
}

function commitMessage(groups: readonly SessionGroup[], reason: string | null): string {
  const models = groups.map((group) => printable(group.header.model, 40)).join(', ');
  const session = printable(groups[0]?.sessions[0]?.session ?? '', 40);
  const subject = printable(`${reason === null ? 'Store' : 'Accept'} session ${session} of ${models}`, 72);
  return reason === null ? `${subject}\n` : `${subject}\n\n${reason}\n`;
}
