import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { drawPicture } from './picture.ts';
import { renderResults } from './render.ts';
import { replaceBetween } from './replace-between.ts';
import { parseResults } from './results.ts';

const PAGE = 'docs/how-it-decides.md';

/** Puts the figures into the page; nothing between its markers is written by hand. */
function writePage(): void {
  const results = parseResults(readFileSync('bench/detection/results.jsonl', 'utf8'));
  const withTables = replaceBetween(readFileSync(PAGE, 'utf8'), 'detection', renderResults(results));
  const canary = 'bench/canary/results.md';
  const table = existsSync(canary) ? readFileSync(canary, 'utf8').trim() : 'Not run yet: `npm run bench:canary`.';
  writeFileSync(PAGE, replaceBetween(withTables, 'canary', table));
  writeFileSync('docs/how-it-decides.svg', drawPicture());
}

writePage();
