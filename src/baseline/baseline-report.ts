import type { BaselineDetails, BaselineList } from './baseline-commands.ts';
import type { WriteReport } from './baseline-store.ts';
import { printable } from './printable.ts';
import type { PruneReport } from './prune-baselines.ts';

/** Plain text of `baseline list`. */
export function listText({ place, baselines, faults }: BaselineList): string {
  const header = ['model', 'machine', 'class', 'cases', 'sessions', 'epoch', 'newest'];
  const rows = baselines.map((entry) => [
    entry.model,
    entry.machine,
    entry.class,
    String(entry.cases),
    entry.folded === 0 ? String(entry.sessions) : `${entry.sessions} (+${entry.folded} folded)`,
    String(entry.epoch),
    entry.newest?.slice(0, 10) ?? '-',
  ]);
  const body =
    rows.length === 0
      ? [`no baselines in ${place}`]
      : [`${rows.length} baselines in ${place}`, ...table([header, ...rows])];
  return lines([...body, ...faults.map(({ fault }) => `unusable: ${printable(fault, 300)}`)]);
}

/** Plain text of `baseline show`. */
export function showText(details: readonly BaselineDetails[]): string {
  return lines(
    details.flatMap((entry) => [
      `${printable(entry.model)} on ${printable(entry.machine)} (class ${printable(entry.class)})`,
      ...entry.epochs.map(
        ({ id, anchor, reason }) => `epoch ${id} since ${printable(anchor)}: ${printable(reason, 200)}`,
      ),
      ...table([
        ['case', 'metric', 'sessions', 'value', 'spread', 'since anchor', 'steps'],
        ...entry.metrics.map((metric) => [
          metric.case,
          metric.metric,
          String(metric.sessions),
          String(Number(metric.value.toPrecision(4))),
          metric.spread === null ? '-' : percent(metric.spread),
          metric.sinceAnchor === null ? 'unknown' : percent(metric.sinceAnchor),
          String(metric.steps),
        ]),
      ]),
    ]),
  );
}

/** Plain text of `baseline verify`. */
export function verifyText(result: Pick<BaselineList, 'place' | 'faults'> & { readonly files: number }): string {
  const sound = `${result.files - result.faults.length} of ${result.files} baselines in ${result.place} are sound`;
  return lines([sound, ...result.faults.map(({ fault }) => `unusable: ${printable(fault, 300)}`)]);
}

/** Plain text of a write: `baseline accept`. */
export function acceptText({ written, commit }: WriteReport): string {
  if (written.length === 0) return 'nothing to store: every session is there already\n';
  return lines([
    ...written.map((path) => `stored ${printable(path, 200)}`),
    ...(commit === null ? [] : [`commit ${commit}`]),
  ]);
}

/** Plain text of `baseline prune`. */
export function pruneText({ pruned }: PruneReport): string {
  if (pruned.length === 0) return 'nothing to prune\n';
  return lines(pruned.map(({ path, why }) => `removed ${printable(path, 200)}: ${why}`));
}

function table(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map((cell) => printable(cell, 60)));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}

function lines(list: readonly string[]): string {
  return `${list.join('\n')}\n`;
}
