import type { Entry, Restart } from '../measure/measurement.ts';

/** Both arms of one valid restart. */
export interface ValidPair {
  readonly base: Restart;
  readonly head: Restart;
}

/** The restarts of one case, both arms, in the order they were measured. */
export interface Pairing {
  readonly pairs: readonly ValidPair[];
  /** Restarts of either arm, valid or not. */
  readonly total: number;
  /** Invalid restarts by arm; one that exists on one side only is invalid on the other. */
  readonly invalidBase: number;
  readonly invalidHead: number;
  /** Why restarts are invalid, most frequent first. */
  readonly reasons: readonly string[];
}

/** One arm's measurements of one case, one entry a session, each with the session it belongs to. */
export type SessionEntry = Entry & { readonly session: string };

/**
 * Pairs restarts by (session, index): in the order of head's sessions, then by index. A restart is valid
 * if both arms have it, both say so, and their rounds have equal lengths; otherwise both arms drop it.
 */
export function pairRestarts(base: readonly SessionEntry[], head: readonly SessionEntry[]): Pairing {
  const sessions = [...new Set([...head, ...base].map((entry) => entry.session))];
  const slots = sessions.flatMap((session) => slotsOf(restartsIn(base, session), restartsIn(head, session)));
  const judged = slots.map(judgeSlot);
  return {
    pairs: judged.flatMap((slot) => (slot.pair ? [slot.pair] : [])),
    total: slots.length,
    invalidBase: judged.filter((slot) => slot.invalidBase).length,
    invalidHead: judged.filter((slot) => slot.invalidHead).length,
    reasons: byFrequency(judged.flatMap((slot) => slot.reasons)),
  };
}

interface Slot {
  readonly base: Restart | undefined;
  readonly head: Restart | undefined;
}

function restartsIn(entries: readonly SessionEntry[], session: string): Restart[] {
  return entries.filter((entry) => entry.session === session).flatMap((entry) => entry.restarts);
}

function slotsOf(base: readonly Restart[], head: readonly Restart[]): Slot[] {
  const bases = new Map(base.map((restart) => [restart.index, restart]));
  const heads = new Map(head.map((restart) => [restart.index, restart]));
  const indices = [...new Set([...bases.keys(), ...heads.keys()])].sort((a, b) => a - b);
  return indices.map((index) => ({ base: bases.get(index), head: heads.get(index) }));
}

function judgeSlot({ base, head }: Slot) {
  if (!base || !head) {
    const reason = `measured in ${base ? 'base' : 'head'} only`;
    return { pair: null, invalidBase: !base, invalidHead: !head, reasons: [reason] };
  }
  if (!base.valid || !head.valid) {
    const notes = [...(base.valid ? [] : base.notes), ...(head.valid ? [] : head.notes)];
    const reasons = notes.length > 0 ? [...new Set(notes)] : ['marked invalid'];
    return { pair: null, invalidBase: !base.valid, invalidHead: !head.valid, reasons };
  }
  const uneven = unevenRounds(base, head);
  if (uneven !== undefined)
    return { pair: null, invalidBase: true, invalidHead: true, reasons: [`rounds of ${uneven} differ in number`] };
  return { pair: { base, head }, invalidBase: false, invalidHead: false, reasons: [] };
}

function unevenRounds(base: Restart, head: Restart): string | undefined {
  return Object.keys(base.rounds ?? {}).find((id) => {
    const other = head.rounds?.[id];
    return other !== undefined && other.length !== base.rounds?.[id]?.length;
  });
}

function byFrequency(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([reason]) => reason);
}
