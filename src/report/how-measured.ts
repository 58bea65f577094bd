import type { Row, Verdict } from '../verdict/verdict.ts';
import { durationText } from './duration-text.ts';
import { formatShare } from './number-format.ts';
import { parseCaseId } from './row-label.ts';

/** Machine, way of measuring, effort and the smallest change that could have been proven, in short phrases; empty without rows. */
export function howMeasured(verdict: Verdict): readonly string[] {
  if (verdict.rows.length === 0) return [];
  const measured = verdict.rows.filter((row) => row.restarts > 0);
  const restarts = measured.map((row) => row.restarts);
  // Rows compared by count or as they are see any change beyond their margin: only tested ones have a reach to tell.
  const visible = measured.filter(isTested).flatMap((row) => row.detectable ?? []);
  return [
    machineText(verdict),
    measured.length > 0 ? modeText(verdict.mode) : '',
    restarts.length > 0 ? rangeText(restarts, String, ' to ', ' restarts') : 'nothing was measured',
    verdict.durationS > 0 ? durationText(verdict.durationS) : '',
    visible.length > 0 ? `could see changes of ${rangeText(visible, formatShare, ' to ', '')} and more` : '',
  ].filter((phrase) => phrase !== '');
}

function machineText(verdict: Verdict): string {
  const { facts } = verdict.environment;
  const usesGpu = verdict.rows.some((row) => (parseCaseId(row.case)?.provider ?? 'cpu') !== 'cpu');
  const gpu = usesGpu ? facts['gpu.name'] : undefined;
  if (gpu === undefined || gpu === null) {
    const cores = facts['cpu.granted'];
    return [facts['cpu.model'], cores === undefined ? null : `${cores} cores`]
      .filter((part) => part != null)
      .join(', ');
  }
  const count = Number(facts['gpu.count'] ?? 1);
  const driver = facts['driver.version'] ?? facts['driver.major'];
  return [count > 1 ? `${count} × ${gpu}` : gpu, driver === undefined ? null : `driver ${driver}`]
    .filter((part) => part !== null)
    .join(', ');
}

function modeText(mode: string): string {
  switch (mode) {
    case 'duet':
      return 'both arms taking turns';
    case 'inproc':
      return 'both arms taking turns in one process';
    case 'pairs':
      return 'one arm after the other';
    case 'none':
      return '';
    default:
      return `mode ${mode}`;
  }
}

function rangeText(values: readonly number[], format: (value: number) => string, to: string, suffix: string): string {
  const low = format(values.reduce((least, value) => Math.min(least, value)));
  const high = format(values.reduce((most, value) => Math.max(most, value)));
  return `${low === high ? low : `${low}${to}${high}`}${suffix}`;
}

function isTested(row: Row): boolean {
  return row.role === 'gated' && row.interval !== null;
}
