import { FAIR_COINS, looksUntil, type Replay, type Size, sizesOf, TILTED } from './sizes.ts';

const PATHS = Number(process.argv[2] ?? 2_000_000);
const SEED = 7;

interface Check extends Replay {
  readonly name: string;
  readonly target: number;
}

const rowCheck = (n: number): Check => ({
  name: `row, ended at ${n}`,
  looks: looksUntil(n, 1),
  level: 'rowLevel',
  target: 0.0495,
});

const familyCheck = (k: number, n: number): Check => ({
  name: `family k = ${k}, ended at ${n}`,
  looks: looksUntil(n, k),
  level: 'familyLevel',
  target: 0.05 / k,
});

function print({ name, target }: Check, { share, error }: Size): void {
  const mark = share - 3 * error > target ? 'TOO LARGE' : 'ok';
  console.log(
    `${name.padEnd(28)} ${share.toExponential(4)} ± ${error.toExponential(1)} of ${target.toExponential(4)}  ${mark}`,
  );
}

function run(title: string, checks: readonly Check[], paths: number, tilts: readonly number[]): void {
  console.log(`${title}, ${paths} rows`);
  const sizes = sizesOf(checks, paths, SEED, tilts);
  checks.forEach((check, i) => {
    const size = sizes[i];
    if (size) print(check, size);
  });
}

/** Prints the errors of the row and family levels, simulated with a seed that nothing was fitted to. */
function main(): void {
  const rows = [6, 7, 8, 11, 16, 23, 34, 41].map(rowCheck);
  const families = [2, 3, 10, 30].map((k) => familyCheck(k, 41));
  run('fair coins', [...rows, ...families], PATHS, FAIR_COINS);
  const rare = [2, 3, 10, 30, 31, 102, 160, 256, 1000, 5000, 20_000].flatMap((k) =>
    [17, 41].map((n) => familyCheck(k, n)),
  );
  run('importance sampling', rare, PATHS / 2, TILTED);
}

main();
