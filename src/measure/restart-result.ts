import { REFERENCE_ROUNDS } from '../baseline/reference-workload.ts';
import type { ArmName } from '../plan/plan.ts';
import type { PerArm } from './group-state.ts';
import type { Restart } from './measurement.ts';
import type { RestartPair } from './measurer.ts';
import { type ArmReadings, type ArmRounds, judgeTimes, restartValues } from './restart-values.ts';

/** One arm of one case in one restart, as measured. */
export interface MeasuredArm {
  readonly rounds: ArmRounds;
  readonly readings: ArmReadings;
  /** Milliseconds of the reference workload, one a round, where it took turns. */
  readonly reference?: readonly number[];
}

/** What the machine did while the arms took turns. */
export interface RestartConditions {
  /** Why the restart is invalid; empty where it counts. */
  readonly faults: readonly string[];
  readonly remarks: readonly string[];
}

/** What one line-up of live arms gave: their cases, and what the machine did meanwhile. */
export interface LineupResult {
  readonly cases: ReadonlyMap<string, PerArm<MeasuredArm>>;
  readonly conditions: RestartConditions;
}

/** Both arms' restarts of one case; a fault of either makes both invalid. */
export function concludeCase(
  index: number,
  arms: PerArm<MeasuredArm>,
  conditions: RestartConditions,
  settings: { readonly batch: number; readonly discard: number; readonly metrics: ReadonlySet<string> },
): RestartPair {
  const times = Object.values(arms).flatMap(({ rounds }) => judgeTimes(rounds) ?? []);
  const faults = [...conditions.faults, ...times];
  const conclude = (arm: ArmName): Restart | null => {
    const measured = arms[arm];
    if (!measured) return null;
    if (times.length > 0) return invalidRestart(index, faults);
    const { values, rounds } = restartValues(measured.rounds, measured.readings, settings);
    const reference = [...(measured.reference ?? [])];
    return {
      index,
      valid: faults.length === 0,
      notes: [...faults, ...conditions.remarks],
      values,
      rounds: reference.length === 0 ? rounds : { ...rounds, [REFERENCE_ROUNDS]: reference },
    };
  };
  return { base: conclude('base'), head: conclude('head') ?? invalidRestart(index, ['head was not measured']) };
}

/** A restart that ended before its values were known. */
export function invalidRestart(index: number, notes: readonly string[]): Restart {
  return { index, valid: false, notes: [...notes], values: {} };
}
