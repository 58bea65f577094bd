import { createHash } from 'node:crypto';

/** A fair coin that any machine tosses alike: one bit of SHA-256 over the seed and what is decided. */
export function tossCoin(seed: string, ...decision: readonly (string | number)[]): 'heads' | 'tails' {
  return fraction(seed, decision) < 0.5 ? 'heads' : 'tails';
}

/** `items` in an order fixed by the seed and what is decided. */
export function shuffle<T>(items: readonly T[], seed: string, ...decision: readonly (string | number)[]): T[] {
  return items
    .map((item, position) => ({ item, key: fraction(seed, [...decision, position]) }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

function fraction(seed: string, decision: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...decision]))
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}
