/** A number that JSON cannot hold: where it is and how it was written. */
export interface BadNumber {
  readonly path: string;
  readonly token: string;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARK = '\u0000number:';

/** Finds `NaN`, `Infinity` or a number beyond the range of doubles (`1e999`) in JSON text; null if there is none. */
export function findBadNumber(text: string): BadNumber | null {
  let found = false;
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || Number.isFinite(Number(token))) return token;
    found = true;
    return JSON.stringify(MARK + token);
  });
  if (!found) return null;
  const parsed = parseOrUndefined(marked);
  return parsed === undefined ? null : findMark(parsed, []);
}

/** The parsed value, or undefined where the text is not JSON. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON path for people, as `entries[0].values["latency.p50"]`. */
export function describePath(path: readonly PropertyKey[]): string {
  const text = path.map((key) => {
    if (typeof key === 'number') return `[${key}]`;
    return /^[A-Za-z_]\w*$/.test(String(key)) ? `.${String(key)}` : `[${JSON.stringify(String(key))}]`;
  });
  return text.join('').replace(/^\./, '') || 'the top level';
}

function findMark(value: unknown, path: readonly PropertyKey[]): BadNumber | null {
  if (typeof value === 'string') {
    return value.startsWith(MARK) ? { path: describePath(path), token: value.slice(MARK.length) } : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const children: [PropertyKey, unknown][] = Array.isArray(value)
    ? value.map((child, i) => [i, child])
    : Object.entries(value);
  for (const [key, child] of children) {
    const found = findMark(child, [...path, key]);
    if (found) return found;
  }
  return null;
}
