/** What a Git LFS pointer file says about the file it stands for. */
export interface LfsPointer {
  /** SHA-256 of the real content, 64 hex digits. */
  readonly oid: string;
  /** Bytes of the real content. */
  readonly size: number;
}

const MAX_POINTER_BYTES = 1024;

/** The pointer in `bytes`, or null where they are something else (format: git-lfs docs/spec.md, version 1). */
export function parseLfsPointer(bytes: Uint8Array): LfsPointer | null {
  if (bytes.byteLength > MAX_POINTER_BYTES) return null;
  const text = new TextDecoder().decode(bytes);
  if (!/^version https:\/\/(git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\r?\n/.test(text)) return null;
  const oid = /^oid sha256:([0-9a-f]{64})\r?$/m.exec(text)?.[1];
  const size = /^size (\d+)\r?$/m.exec(text)?.[1];
  return oid && size ? { oid, size: Number(size) } : null;
}
