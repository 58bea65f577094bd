/** A sentence of our own words, with commands or keys in it which each renderer sets apart in its own way. */
export type Phrase = readonly (string | { readonly code: string })[];

/** Phrase as one string, its commands written by `code`. */
export function writePhrase(phrase: Phrase, code: (text: string) => string): string {
  return phrase.map((part) => (typeof part === 'string' ? part : code(part.code))).join('');
}
