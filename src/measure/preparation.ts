import type { CaseGroup } from '../plan/plan.ts';
import type { Workshop } from './group-state.ts';
import type { Fault, Note } from './measurement.ts';
import type { Mode, Preparation } from './measurer.ts';

/** A preparation that ended in a fault: nothing is promised. */
export function failedPreparation(shop: Workshop, group: CaseGroup, fault: Fault): Preparation {
  return {
    mode: group.base ? 'duet' : 'pairs',
    metrics: {},
    unreachable: [],
    secondsPerRestart: 0,
    notes: shop.notes,
    plain: {},
    fault,
    armFacts: { base: group.base ? {} : null, head: {} },
  };
}

/** Notes on how a group is measured, for the report. */
export function modeNotes(mode: Mode, reasons: readonly (string | null)[]): Note[] {
  const how = {
    duet: [],
    inproc: [{ code: 'mode', text: 'both arms ran in one process (mode inproc)' }],
    pairs: [{ code: 'mode', text: 'the arms ran one after the other (mode pairs)' }],
  }[mode];
  const why = reasons.flatMap((text) => (text === null ? [] : [{ code: 'measured-how', text }]));
  return [...how, ...why];
}
