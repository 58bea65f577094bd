import type { Entry, Fault } from './measurement.ts';

/** Head's entry for a model that could not even be planned: its rows collapse to one `run` row with the reason. */
export function faultEntry(
  model: { readonly id: string; readonly path: string },
  provider: string,
  batch: number,
  fault: Fault,
): Entry {
  return {
    subject: { model: model.id, path: model.path, commit: null },
    case: {
      id: `${model.id}/${provider}/b${batch}/c1`,
      provider,
      batch,
      concurrency: 1,
      scenario: 'closed',
      workload: '',
    },
    fault,
    metrics: {},
    restarts: [],
  };
}
