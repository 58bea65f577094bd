import { seededRandom } from '../../bench/levels/random.ts';

/** A seeded source of standard normal numbers (Box & Muller 1958). */
export function seededNormal(seed: number): () => number {
  const random = seededRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
