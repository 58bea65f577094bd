/** The lines that fit, and how many were left out. */
export interface Fitted {
  readonly kept: readonly string[];
  readonly left: number;
}

/** Size of a text in what a limit counts. */
export type SizeOf = (text: string) => number;

/** UTF-16 code units: never fewer than the characters that GitHub counts in a comment. */
export const characters: SizeOf = (text) => text.length;

/** UTF-8 bytes: what GitHub counts in a job summary. */
export const bytes: SizeOf = (text) => new TextEncoder().encode(text).length;

/** First lines of `lines` whose size, each with its line break, stays within `budget`. */
export function fitLines(lines: readonly string[], budget: number, sizeOf: SizeOf): Fitted {
  let used = 0;
  const kept: string[] = [];
  for (const line of lines) {
    used += sizeOf(line) + 1;
    if (used > budget) break;
    kept.push(line);
  }
  return { kept, left: lines.length - kept.length };
}
