import { drawUnit, type RandomBits } from './feed-random.ts';

/** Traffic of ids in ranking models is close to this exponent; 1 or less would be nearly flat over large tables. */
const EXPONENT = 1.05;

/**
 * Draws ids from an inclusive range with Zipf's law, exponent 1.05. Popular ids lie scattered over the range, as in
 * hashed tables: their rows share no cache lines.
 */
export function zipfDraws(bits: RandomBits, low: number, high: number): () => number {
  const count = high - low + 1;
  const rank = rankDraws(bits, count);
  const step = scatterStep(count);
  return () => low + (((rank() - 1) * step) % count);
}

/** Ranks 1 … count by rejection-inversion (Hörmann and Derflinger 1996, as in Apache Commons RNG). */
function rankDraws(bits: RandomBits, count: number): () => number {
  const oneLess = 1 - EXPONENT;
  const integral = (x: number) => (power(x, oneLess) - 1) / oneLess;
  const inverse = (y: number) => power(1 + y * oneLess, 1 / oneLess);
  const density = (x: number) => power(x, -EXPONENT);
  const first = integral(1.5) - 1;
  const last = integral(count + 0.5);
  const cut = 2 - inverse(integral(2.5) - density(2));
  return () => {
    for (;;) {
      const u = last + drawUnit(bits) * (first - last);
      const x = inverse(u);
      const rank = Math.min(Math.max(Math.floor(x + 0.5), 1), count);
      if (rank - x <= cut || u >= integral(rank + 0.5) - density(rank)) return rank;
    }
  };
}

/** By exp and log: engines differ in the last bit of their own power function. */
function power(x: number, exponent: number): number {
  return Math.exp(exponent * Math.log(x));
}

/** A multiplier without a common factor with `count`, near its golden section; 1 where products would lose digits. */
function scatterStep(count: number): number {
  if (count > 2 ** 26) return 1;
  let step = Math.max(1, Math.floor(count * 0.6180339887));
  while (commonFactor(step, count) !== 1) step++;
  return step;
}

function commonFactor(a: number, b: number): number {
  return b === 0 ? a : commonFactor(b, a % b);
}
