import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDuet } from './duet-source.ts';
import { seededChance } from './noise.ts';
import { simulateEvidence } from './peer-evidence.ts';
import { renderResults } from './render.ts';
import { CHANGES, FULL, parseResults, QUICK, type ScenarioResult } from './results.ts';
import { runScenario, type Source } from './scenario-run.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { readTrace, type Trace } from './trace-file.ts';
import { openRecorded, recordedEvidence, variantOf } from './trace-source.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    results: { type: 'string' },
    traces: { type: 'string', default: 'bench/traces' },
    only: { type: 'string' },
  },
});
const sizes = values.quick ? QUICK : FULL;
const file = values.results ?? (values.quick ? 'out/detection-quick.jsonl' : 'bench/detection/results.jsonl');
mkdirSync(dirname(file), { recursive: true });
const done: ScenarioResult[] = existsSync(file) && !values.fresh ? parseResults(readFileSync(file, 'utf8')) : [];

const sources = [...SCENARIOS.map(syntheticSource), ...recordedSources()];
for (const source of sources.filter(({ id }) => values.only === undefined || id === values.only)) {
  if (done.some((result) => isOf(result, source))) continue;
  const result = runScenario(source, sizes);
  done.splice(0, done.length, ...done.filter(({ id }) => id !== source.id), result);
  const order = sources.map(({ id }) => id);
  done.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  writeFileSync(file, done.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  console.error(`${source.id}: ${result.cpuS} s of processor time`);
}
/** Whether a result is of this very source (recordings name their day and load) at this size. */
function isOf(result: ScenarioResult, { id, text }: Source): boolean {
  return result.id === id && result.text === text && JSON.stringify(result.sizes) === JSON.stringify(sizes);
}

if (values.quick) console.log(renderResults(done));

function syntheticSource(scenario: Scenario, index: number): Source {
  const streams = new Map([0, ...CHANGES].map((change) => [change, seededChance(1000 * index + change)]));
  const peers = seededChance(1000 * index + 500);
  return {
    id: scenario.id,
    text: scenario.text,
    planting: 'by-factor',
    openCase: (change) => openDuet(scenario, streams.get(change) ?? peers, { log: Math.log1p(change / 100) }),
    openEvidence: () => simulateEvidence(scenario, peers),
  };
}

function recordedSources(): Source[] {
  const files = existsSync(values.traces)
    ? readdirSync(values.traces)
        .filter((name) => name.endsWith('.jsonl.gz'))
        .sort()
    : [];
  return files.map((name, index) => {
    const trace = readTrace(join(values.traces, name));
    const { header } = trace;
    const variants = new Map([0, ...CHANGES].map((extra) => [extra, variantOf(trace, extra)]));
    const variant = (extra: number) => variants.get(extra) ?? variantOf(trace, extra);
    const chance = seededChance(100_000 + index);
    return {
      id: `recorded: ${header.condition}`,
      text: describeRecording(trace),
      planting: 'recorded',
      openCase: (extra) => openRecorded(variant(extra), chance),
      openEvidence: (extra) => recordedEvidence(variant(extra), variant(0), chance),
    };
  });
}

function describeRecording({ header, restarts }: Trace): string {
  const load = `load average ${header.loadBefore.toFixed(1)} to ${header.loadAfter.toFixed(1)}`;
  return `${header.model}; ${header.machine}, ${load}, ${header.engine}, ${header.recordedAt}, ${restarts.length} restarts`;
}
