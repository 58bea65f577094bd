import { createHash } from 'node:crypto';
import type { BaselineAddress } from './baseline-store.ts';

/** Folder of the store, in the tree and on the branch alike. */
export const BASELINES_FOLDER = 'baselines';

const LONGEST_NAME = 180;
const KEPT_PREFIX = 120;

/** Path of a baseline in the store, as `baselines/ranker/9a1b….json`; different addresses never share one. */
export function baselinePath(address: BaselineAddress): string {
  return `${modelFolder(address.model)}/${encodeName(address.class)}.json`;
}

/** Folder of one model's baselines in the store. */
export function modelFolder(model: string): string {
  return `${BASELINES_FOLDER}/${encodeName(model)}`;
}

/**
 * A file name for any text: letters, digits, `_`, `-` and inner dots stay, other bytes become `%XX`.
 * Names too long for a file system keep a prefix and a hash, joined by `%~`, which no encoded byte is.
 */
export function encodeName(text: string): string {
  const name = [...Buffer.from(text, 'utf8')].map(encodeByte).join('');
  const safe = name.replace(/^\.|\.$/g, '%2E');
  if (safe.length <= LONGEST_NAME) return safe;
  return `${safe.slice(0, KEPT_PREFIX)}%~${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

function encodeByte(byte: number): string {
  const char = String.fromCharCode(byte);
  return /[A-Za-z0-9._-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
