import { fisherTwoSided } from './fisher.ts';
import type { Pairing } from './pairing.ts';

const MAX_INVALID_SHARE = 0.3;
const VALIDITY_LEVEL = 0.05;

/** Why a case's restarts cannot be judged (too many invalid, or validity that depends on the arm); null where they can. */
export function validityFault(pairing: Pairing): string | null {
  const invalid = pairing.total - pairing.pairs.length;
  if (invalid === 0) return null;
  const why = pairing.reasons.slice(0, 3).join('; ');
  if (invalid > MAX_INVALID_SHARE * pairing.total) {
    return `${invalid} of ${pairing.total} restarts are invalid (${why}); remove the cause and measure again`;
  }
  const p = fisherTwoSided({
    hitsA: pairing.invalidBase,
    missesA: pairing.total - pairing.invalidBase,
    hitsB: pairing.invalidHead,
    missesB: pairing.total - pairing.invalidHead,
  });
  if (p >= VALIDITY_LEVEL) return null;
  return `restarts fail in one arm only: ${pairing.invalidBase} invalid in base, ${pairing.invalidHead} in head (${why}); find out why before trusting the rest`;
}
