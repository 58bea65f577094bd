import { serialiseBaseline } from './baseline-file.ts';
import { baselinePath } from './baseline-path.ts';
import type { Baseline } from './baseline-schema.ts';
import type { AddressedChange, BaselineAddress } from './baseline-store.ts';

/** A file to write, or to delete where `text` is null. */
export interface FileChange {
  readonly path: string;
  readonly text: string | null;
}

/**
 * What the changes come to on the content that `read` gives: only files that really change.
 * Changes of one address apply one after the other. Nothing is written here, so one broken file stops them all.
 */
export async function applyChanges(
  changes: readonly AddressedChange[],
  read: (address: BaselineAddress) => Promise<Baseline | null>,
): Promise<FileChange[]> {
  const byPath = new Map<string, { before: Baseline | null; after: Baseline | null }>();
  for (const { address, change } of changes) {
    const path = baselinePath(address);
    const known = byPath.get(path);
    const before = known ? known.before : await read(address);
    byPath.set(path, { before, after: change(known ? known.after : before) });
  }
  return [...byPath].flatMap(([path, { before, after }]) =>
    before === after ? [] : [{ path, text: after === null ? null : serialiseBaseline(after) }],
  );
}
