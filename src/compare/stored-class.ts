import type { Baseline } from '../baseline/baseline-schema.ts';
import { describeFactDifferences, effectOfFact, type Facts } from '../baseline/environment-class.ts';

/**
 * Why baselines of other classes don't serve this machine: the nearest one's differing facts with both values;
 * null where there is none at all.
 */
export function whyOtherClasses(baselines: readonly Baseline[], facts: Facts): string | null {
  const differences = baselines.map((baseline) =>
    describeFactDifferences(classFacts(baseline.facts), classFacts(facts)),
  );
  const [nearest] = differences.sort((a, b) => a.length - b.length);
  if (nearest === undefined) return null;
  if (nearest.length === 0)
    return 'the stored baseline is of another machine class, though its facts are equal: verify the store';
  return `the stored baseline is of another machine: ${nearest.join('; ')}`;
}

function classFacts(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => effectOfFact(name) === 'incomparable'));
}
