import { createHash } from 'node:crypto';
import { posix } from 'node:path';

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** The tail that only made-up ids carry, so that no path can take another's id. */
const HASHED_TAIL = /-[0-9a-f]{12}$/;
const LONGEST = 80;

/**
 * Id of a model from its path alone: `models/ranker.onnx` is `models--ranker`. The same path has the same id whatever
 * else the repository holds, and two paths never share one: where the readable form could be read as another path
 * (a colon, a blank, a "--" of its own, a long name), a hash of the path is added.
 */
export function modelIdOf(path: string): string {
  const stem = path.replace(/\.onnx$/, '');
  const readable = stem.replaceAll('/', '--');
  const isFaithful =
    stem !== path &&
    PLAIN.test(readable) &&
    readable.length <= LONGEST &&
    !HASHED_TAIL.test(readable) &&
    readable.replaceAll('--', '/') === stem;
  if (isFaithful) return readable;
  const kept = readable.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[^A-Za-z0-9_]+/, '');
  return `${kept.slice(0, LONGEST) || 'model'}-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`;
}

/** Id of a model that the config names by its file: the base name, as `ranker` for `models/ranker.onnx`. */
export function modelIdOfFile(path: string): string {
  return modelIdOf(posix.basename(path));
}
