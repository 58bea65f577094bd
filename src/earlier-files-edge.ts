import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { git } from './changes/git-process-edge.ts';
import type { EarlierFiles } from './earlier-attempt.ts';
import { RefusedError } from './errors.ts';
import type { Measurement } from './measure/measurement.ts';
import { parseMeasurement } from './measure/measurement-file.ts';
import { VERSION } from './version.ts';

/**
 * Both arms' files of an earlier run in a results folder. Null where they are not there, broken, of another version of
 * the gate, or part of the repository, where a change could bring its own.
 */
export async function readEarlierFiles(root: string, folder: string): Promise<EarlierFiles | null> {
  if (await isTracked(root, folder)) return null;
  const base = await readArm('base', folder);
  const head = await readArm('head', folder);
  return base && head ? { base, head } : null;
}

async function isTracked(root: string, folder: string): Promise<boolean> {
  const path = relative(root, folder).split(sep).join('/');
  if (path.startsWith('../')) return false;
  return (await git(root, ['ls-files', '-z', '--', path])) !== '';
}

async function readArm(arm: 'base' | 'head', folder: string): Promise<Measurement | null> {
  const name = `${arm}.measurement.json`;
  const text = await readFile(join(folder, name), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const file = parseMeasurement(text, name);
    return file.arm === arm && file.tool.version === VERSION ? file : null;
  } catch (thrown) {
    if (thrown instanceof RefusedError) return null;
    throw thrown;
  }
}
