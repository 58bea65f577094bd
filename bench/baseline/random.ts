import { seededRandom } from '../levels/random.ts';

/** Standard normal numbers from a seed (Box and Muller). */
export function seededNormal(seed: number): () => number {
  const uniform = seededRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
