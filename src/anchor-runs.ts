import type { StoredSession } from './baseline/baseline-schema.ts';
import { anchorOf } from './baseline/choose-reference.ts';
import { baselineIn, type Histories } from './baseline/model-history.ts';
import type { ChangedModel } from './changes/change-set.ts';
import { creepingMetrics } from './compare/creep-rows.ts';
import type { RuleBook } from './compare/row-rule.ts';
import type { Baselines } from './edges.ts';
import { entryOf, openRecords } from './measure/case-record.ts';
import type { Measurement, Note } from './measure/measurement.ts';
import type { CaseGroup, CaseSpec } from './plan/plan.ts';
import { planGroups, type ReadyModel } from './plan/plan-groups.ts';

/** Runs of head against accepted anchors, and why some can't be had. */
export interface AnchorRuns {
  readonly groups: readonly CaseGroup[];
  readonly notes: readonly Note[];
}

/** A run of some cases of one provider against one anchor. */
interface Wanted {
  readonly anchor: StoredSession;
  readonly provider: string;
  readonly caseIds: readonly string[];
}

/** The cases whose accepted steps come near the creep margin, to be run against their anchor; DESIGN §6 "Creep". */
export async function planAnchorRuns(
  change: ChangedModel,
  ready: ReadyModel,
  planned: readonly CaseGroup[],
  histories: Histories,
  book: RuleBook,
  baselines: Pick<Baselines, 'readAccepted'>,
): Promise<AnchorRuns> {
  const groups: CaseGroup[] = [];
  const notes: Note[] = [];
  for (const { anchor, provider, caseIds } of wantedRuns(change.id, planned, histories, book)) {
    const arms = await baselines.readAccepted(change, ready, anchor);
    if (arms.kind === 'fault') {
      const text = `${change.id}: its anchor of ${anchor.acceptedAt.slice(0, 10)} can't be run (${arms.fault.reason}): creep is judged by the chain of accepted steps`;
      notes.push({ code: 'anchor-gone', text });
      continue;
    }
    const options = { defaultProvider: provider, equalArms: 'unchanged' } as const;
    const plan = planGroups({ ...arms.model, comparison: 'creep', notes: [] }, options);
    groups.push(...plan.groups.flatMap((group) => narrow(group, { anchor, provider, caseIds })));
  }
  return { groups, notes };
}

function wantedRuns(model: string, planned: readonly CaseGroup[], histories: Histories, book: RuleBook): Wanted[] {
  const baseline = baselineIn(histories, model);
  if (baseline === null) return [];
  const runs = new Map<string, Wanted>();
  for (const group of planned) {
    for (const record of openRecords(group)) {
      const anchor = anchorOf(baseline, record.spec.id);
      if (anchor === null || creepingMetrics(entryOf(record, 'head'), baseline, book).length === 0) continue;
      const key = JSON.stringify([group.provider, anchor.commit, anchor.sha256]);
      const caseIds = [...(runs.get(key)?.caseIds ?? []), record.spec.id];
      runs.set(key, { anchor, provider: group.provider, caseIds });
    }
  }
  return [...runs.values()];
}

function narrow(group: CaseGroup, { anchor, provider, caseIds }: Wanted): CaseGroup[] {
  const [first, ...others] = group.cases.filter((spec) => caseIds.includes(spec.id));
  if (group.provider !== provider || first === undefined) return [];
  const cases: [CaseSpec, ...CaseSpec[]] = [first, ...others];
  return [{ ...group, id: `${group.id}/${anchor.session}`, cases }];
}

/** The files without runs whose anchor did not run, which leaves them to the chain; said in a note. */
export function withoutFailedAnchors(files: { readonly base: Measurement; readonly head: Measurement }) {
  const failed = files.head.entries.filter(
    ({ comparison, fault }) => comparison === 'creep' && fault?.kind === 'not-measured',
  );
  if (failed.length === 0) return files;
  const ids = new Set(failed.map((entry) => entry.case.id));
  const keep = (file: Measurement): Measurement => ({
    ...file,
    entries: file.entries.filter((entry) => entry.comparison !== 'creep' || !ids.has(entry.case.id)),
  });
  const notes = failed.map(({ case: { id }, fault }) => ({
    code: 'anchor-gone',
    text: `${id}: the anchor did not run (${fault?.reason}): creep is judged by the chain of accepted steps`,
  }));
  const head = keep(files.head);
  return { base: keep(files.base), head: { ...head, notes: [...(head.notes ?? []), ...notes] } };
}
