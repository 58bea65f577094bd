import type { ArmName, ArmSpec, CaseGroup } from '../plan/plan.ts';

/** Where an arm's staged model lies. */
export interface ArmFiles {
  readonly modelFile: string;
}

/** Files larger than this are staged once: writing them again at every look would cost more than measuring. */
export const RESTAGE_LIMIT_BYTES = 4 * 2 ** 30;

/** Said in the report where files are too large to be staged at every look. */
export const STAGED_ONCE =
  'both arms are over 4 GiB together: their files were staged once, not anew before every look';

/** The files of each arm in restart `index`: where builds differ, each in turn. */
export function armsAt({ base, head, builds }: CaseGroup, index: number): Readonly<Partial<Record<ArmName, ArmSpec>>> {
  const turn = (specs: readonly ArmSpec[] | undefined, first: ArmSpec): ArmSpec =>
    specs?.[index % specs.length] ?? first;
  return { ...(base ? { base: turn(builds?.base, base) } : {}), head: turn(builds?.head, head) };
}

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
