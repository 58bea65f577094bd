/** Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`; optimal string alignment distance. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const above = rows[i - 1] as number[];
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j] as number, (rows[i - 2]?.[j - 2] as number) + 1);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? a.length;
}

const LONGEST = 64;

/** The name of `names` that `word` is most likely a slip of: at most a third of it differs; null where none is near. */
export function suggestName(word: string, names: readonly string[]): string | null {
  if (word.length > LONGEST) return null;
  const ranked = names
    .filter((name) => name.length <= LONGEST)
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.name : null;
}

/** `: did you mean "margin"?`, or the empty string where nothing is near. */
export function didYouMean(word: string, names: readonly string[]): string {
  const name = suggestName(word, names);
  return name === null ? '' : `: did you mean "${name}"?`;
}

const SHOWN = 80;

/** A name from a file or an event as one quoted line: control characters are escaped, long text is cut. */
export function quoteName(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}
