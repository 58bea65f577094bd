import type { ArmName, ArmSpec, CaseGroup } from '../plan/plan.ts';

/** Where an arm's staged model lies. */
export interface ArmFiles {
  readonly modelFile: string;
}

/** Up to this size of both arms, writing the files anew before every restart costs less than a second. */
const EVERY_RESTART_BYTES = 512 * 2 ** 20;
/** Up to this size it is done before every look; beyond, writing would cost more than measuring. */
const EVERY_LOOK_BYTES = 4 * 2 ** 30;
const LOOKS: readonly number[] = [6, 9, 13, 19, 28, 41];

/**
 * How often the files are staged anew before restart `index`: a copy's place in the page cache moves memory-mapped
 * models by up to 1 % for as long as it lives, so copies must vary like restarts do.
 */
export function stagingEpoch(group: CaseGroup, index: number): number {
  const bytes = stagedBytes(group);
  if (bytes <= EVERY_RESTART_BYTES) return index;
  return bytes <= EVERY_LOOK_BYTES ? LOOKS.filter((look) => index >= look).length : 0;
}

/** Whether both arms are too large to be staged more than once. */
export function isStagedOnce(group: CaseGroup): boolean {
  return stagedBytes(group) > EVERY_LOOK_BYTES;
}

function stagedBytes({ base, head }: CaseGroup): number {
  return (base?.bytes ?? 0) + head.bytes;
}

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
