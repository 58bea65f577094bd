import jstat from 'jstat';

/** Two-sided Mann-Whitney p-value by the normal approximation, for samples sorted ascending; head's values times `factor`. */
export function mannWhitneyP(
  base: Float64Array,
  head: Float64Array,
  factor: number,
): { p: number; isHeadLarger: boolean } {
  let below = 0;
  let wins = 0;
  for (const value of head) {
    const scaled = value * factor;
    while (below < base.length && (base[below] ?? 0) < scaled) below++;
    let ties = 0;
    while (base[below + ties] === scaled) ties++;
    wins += below + ties / 2;
  }
  const product = base.length * head.length;
  const sd = Math.sqrt((product * (base.length + head.length + 1)) / 12);
  const z = (wins - product / 2) / sd;
  const corrected = Math.max(0, Math.abs(z) - 0.5 / sd);
  return { p: 2 * (1 - jstat.normal.cdf(corrected, 0, 1)), isHeadLarger: z > 0 };
}
