import { posix } from 'node:path';

/** An entry of a commit's tree. */
export interface TreeEntry {
  readonly kind: 'file' | 'link' | 'submodule' | 'folder';
  readonly path: string;
  /** Object id of the content. */
  readonly id: string;
}

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '120000': 'link',
  '160000': 'submodule',
  '040000': 'folder',
};

/** Reads `git ls-tree -r -z`: records `mode type id TAB path`, each ended by NUL. */
export function parseTree(output: string): TreeEntry[] {
  return parsePaths(output).map((record) => {
    const tab = record.indexOf('\t');
    const [mode = '', , id = ''] = record.slice(0, tab).split(' ');
    return { kind: KINDS[mode] ?? 'file', path: record.slice(tab + 1), id };
  });
}

/** Reads paths that are each ended by NUL. */
export function parsePaths(output: string): string[] {
  return output.split('\0').filter((path) => path !== '');
}

/** Where a link inside a repository leads; null where it leaves the repository. */
export function linkTarget(path: string, target: string): string | null {
  const found = posix.normalize(posix.join(posix.dirname(path), target));
  return posix.isAbsolute(target) || found === '..' || found.startsWith('../') ? null : found;
}
