import type { ArmName, ArmSpec } from '../plan/plan.ts';

/** Where an arm's staged model lies. */
export interface ArmFiles {
  readonly modelFile: string;
}

/** Files larger than this are staged once: writing them again at every look would cost more than measuring. */
export const RESTAGE_LIMIT_BYTES = 4 * 2 ** 30;

/** Names of equal length; the arms swap them, and the order of writing, at every epoch. */
export function foldersOf(epoch: number): readonly { readonly arm: ArmName; readonly folder: string }[] {
  return epoch % 2 === 0
    ? [
        { arm: 'base', folder: 'arm-0' },
        { arm: 'head', folder: 'arm-1' },
      ]
    : [
        { arm: 'head', folder: 'arm-0' },
        { arm: 'base', folder: 'arm-1' },
      ];
}

/** Whether both arms are small enough to be staged anew at every look. */
export function mayRestage(arms: readonly (ArmSpec | null)[]): boolean {
  return arms.reduce((sum, arm) => sum + (arm?.bytes ?? 0), 0) <= RESTAGE_LIMIT_BYTES;
}
