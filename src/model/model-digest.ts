import { createHash } from 'node:crypto';

/** SHA-256 (64 hex digits) and size of one file; `location` names an external data file. */
export interface FileDigest {
  readonly location?: string;
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * One SHA-256 over a model and its external files. Without external files it is the model file's own digest, as
 * `sha256sum` prints it; else that of the sorted `<digest>  <location>` lines.
 */
export function digestOfFiles(model: FileDigest, external: readonly FileDigest[]): string {
  if (external.length === 0) return model.sha256;
  const lines = external.map(({ location, sha256 }) => `${sha256}  ${location}\n`).sort();
  return createHash('sha256')
    .update([`${model.sha256}  model\n`, ...lines].join(''))
    .digest('hex');
}
