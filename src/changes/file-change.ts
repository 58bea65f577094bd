/** One file that differs between the base commit and the work tree. */
export interface FileChange {
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed';
  readonly path: string;
  /** Where a renamed file came from; null for all others. */
  readonly oldPath: string | null;
  readonly isSubmodule: boolean;
}

const SUBMODULE = '160000';

/** Reads `git diff --raw -z`: each record is `:modes ids status`, NUL, then one path or, for a rename, two. */
export function parseRawDiff(output: string): FileChange[] {
  const fields = output.split('\0');
  const changes: FileChange[] = [];
  for (let i = 0; i + 1 < fields.length; i++) {
    const [oldMode, newMode, , , status = ''] = (fields[i] ?? '').slice(1).split(' ');
    const isSubmodule = oldMode === SUBMODULE || newMode === SUBMODULE;
    const path = fields[++i] ?? '';
    if (status.startsWith('R'))
      changes.push({ status: 'renamed', path: fields[++i] ?? '', oldPath: path, isSubmodule });
    else changes.push({ status: STATUSES[status.charAt(0)] ?? 'modified', path, oldPath: null, isSubmodule });
  }
  return changes;
}

/** C, T, U and X are all "its bytes may differ". */
const STATUSES: Readonly<Record<string, FileChange['status']>> = { A: 'added', D: 'deleted' };

/** Paths a change touches: the new one, and the old one of a rename. */
export function touchedPaths(change: FileChange): readonly string[] {
  return change.oldPath === null ? [change.path] : [change.path, change.oldPath];
}
