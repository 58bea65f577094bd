import { type DoctorReport, type DoctorTrial, impossibility, isFault } from './doctor-report.ts';
import { formatChange, formatShare } from './number-format.ts';

/** Share of the granted processors that others may use before it shows. */
const BUSY_SHARE = 0.25;
/** Differences of equal bytes and of start orders that matter at a margin of 3 %. */
const SMALL_DIFFERENCE = 0.005;
const LARGE_ORDER_EFFECT = 0.01;
/** A fail is provable in practice up to this many margins. */
const WIDE = 2;

/** What to mend on this machine, most important first, each in a sentence with the way to do it. */
export function doctorAdvice(report: Omit<DoctorReport, 'advice'>): string[] {
  const blocking = impossibility(report);
  return [
    ...(blocking === null ? [] : [`nothing can be measured: ${blocking}`]),
    ...gpuAdvice(report),
    ...processorAdvice(report),
    ...(isFault(report.trial) ? [] : trialAdvice(report.trial)),
  ];
}

function gpuAdvice({ gpu, trial }: Omit<DoctorReport, 'advice'>): string[] {
  if (isFault(gpu)) return [];
  const others = (gpu.processes ?? []).map(({ pid, name }) => `${pid} (${name})`);
  return [
    ...(gpu.driverFault === null ? [] : [gpu.driverFault]),
    ...(others.length === 0
      ? []
      : [`other processes compute on the card: ${others.join(', ')}: stop them, their restarts would be invalid`]),
    ...gpu.notes,
    ...gpu.lockCaveats,
    ...(isFault(trial) ? [] : clockAdvice(gpu.clocksUnderLoadMHz)),
  ];
}

function clockAdvice(seenMHz: readonly number[]): string[] {
  const [low, high] = [Math.min(...seenMHz), Math.max(...seenMHz)];
  if (seenMHz.length < 2 || high / low < 1.05) return [];
  return [
    `clocks under load went from ${low} to ${high} MHz: cool the card, or hold them with \`lock-clocks\` (needs root)`,
  ];
}

function processorAdvice({ environment: { facts }, threads }: Omit<DoctorReport, 'advice'>): string[] {
  const granted = Number(facts['cpu.granted'] ?? 1);
  const load = Number(facts['cpu.loadAverage'] ?? 0);
  const quota = facts['cpu.quota'];
  const governor = facts['cpu.governor'];
  return [
    ...(load > BUSY_SHARE * granted
      ? [`others use this machine (load ${load} on ${granted} processors): stop them, or expect more restarts`]
      : []),
    ...(typeof quota === 'number'
      ? [
          `a quota of ${quota} processors throttles in the middle of runs: grant whole processors instead (requests equal to limits and the static CPU manager, or a cpuset)`,
        ]
      : []),
    ...(typeof governor === 'string' && governor !== 'performance'
      ? [
          `processor clocks follow load (governor ${governor}): set it to performance (cpupower frequency-set -g performance)`,
        ]
      : []),
    ...(granted <= threads && threads > 1
      ? [
          `sessions use all ${granted} granted processors: everything else on the machine shows; grant one more than the threads, or set session.threads`,
        ]
      : []),
  ];
}

function trialAdvice({ agreement, margin, invalidRestarts, invalidReasons, oneFeed }: DoctorTrial): string[] {
  if (agreement === null) return [];
  const { difference, isBiased, spread, byOrder, modes, provable } = agreement;
  const last = provable.at(-1)?.change ?? null;
  const orderEffect = byOrder === null ? 0 : Math.abs(byOrder.first - byOrder.second);
  return [
    ...(invalidRestarts > 0 ? [`${invalidRestarts} restart(s) were invalid: ${invalidReasons.join('; ')}`] : []),
    ...(isBiased && Math.abs(difference) > SMALL_DIFFERENCE
      ? [
          `two copies of the same bytes differ by ${formatChange(difference)}, more than chance gives: run doctor again, and do not gate here while that stays`,
        ]
      : []),
    ...(modes === null
      ? []
      : [`processes come in two speeds, ${formatShare(modes)} apart: more restarts are needed than the spread tells`]),
    ...(orderEffect > LARGE_ORDER_EFFECT && orderEffect > 2 * spread
      ? [
          `what is started first differs by ${formatShare(orderEffect)} from what is started second: look for heat, clocks or memory that the first leaves behind`,
        ]
      : []),
    ...(last === null || last > WIDE * margin
      ? [
          `a margin of ${formatShare(margin)} is tight here: ${last === null ? 'no change' : `only changes of ${formatShare(last)} and more`} can be proven with the most restarts; quieten the machine or widen the margin`,
        ]
      : []),
    ...(oneFeed !== null && oneFeed < 0.9 * agreement.head
      ? ['one repeated feed looks faster than fresh ones: keep the pool of feeds (`pool` unset)']
      : []),
  ];
}
