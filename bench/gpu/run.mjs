// The GPU check, for a machine with an NVIDIA card: node bench/gpu/run.mjs [--out DIR] [--onnxruntime-path DIR] [--seconds N] [--cli FILE]
// Needs only Node, dist/ and the engine; no network, no build. What it expects and what it saw end in one table.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: process.env.OUT ?? join(here, '..', '..', 'out', 'gpu') },
    'onnxruntime-path': { type: 'string' },
    seconds: { type: 'string', default: '300' },
    cli: { type: 'string', default: join(here, '..', '..', 'dist', 'cli.js') },
  },
});
const { cli } = values;
const endsAt = Date.now() + Number(values.seconds) * 1000;
const env = { ...process.env };
if (values['onnxruntime-path']) env.MODEL_GATE_ONNXRUNTIME_PATH = values['onnxruntime-path'];

/** What each planted change must show, by the row that shows it. */
const PLANTS = {
  nothing: { title: 'A/A: nothing changed', metric: 'latency.p50', expected: ['pass', 'improved'] },
  slower: { title: 'one layer in twenty more', metric: 'latency.p50', expected: ['regressed'] },
  bigger: { title: 'a larger table', metric: null, expected: ['regressed'] },
  fallback: { title: 'an operator without a GPU kernel', metric: 'ep.coverage', expected: ['regressed'] },
};

function main() {
  mkdirSync(values.out, { recursive: true });
  const card = nvidia();
  console.log(
    card
      ? `NVIDIA card: ${card}`
      : 'No NVIDIA card here: CUDA is left out, WebGPU runs on what Vulkan offers, software included.',
  );
  const results = [doctor(), ...steps(card !== null).map(runStep)];
  const table = toMarkdown(results);
  writeFileSync(join(values.out, 'table.md'), table);
  writeFileSync(join(values.out, 'results.json'), JSON.stringify({ card, node: process.version, results }, null, 1));
  console.log(`\n${table}`);
  process.exitCode = results.some(({ verdict }) => verdict === 'unexpected') ? 1 : 0;
}

/** Name and driver of the first card; null where there is none. */
function nvidia() {
  const answer = spawnSync('nvidia-smi', ['--query-gpu=name,driver_version', '--format=csv,noheader'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return answer.status === 0 ? answer.stdout.split('\n')[0].trim() : null;
}

/** Few restarts each: a proof at six restarts needs every one of them to agree. */
function steps(hasCard) {
  const gpu = { size: 'gpu', batch: 2048 };
  const memory = { ...gpu, metric: 'memory.gpu.weights' };
  if (hasCard) {
    return [
      { provider: 'cuda', plant: 'nothing', restarts: 6, ...gpu },
      { provider: 'cuda', plant: 'slower', restarts: 9, ...gpu },
      { provider: 'cuda', plant: 'bigger', restarts: 6, ...memory },
      { provider: 'cuda', plant: 'fallback', restarts: 2, ...gpu },
      { provider: 'webgpu', plant: 'nothing', restarts: 6, ...gpu },
      { provider: 'webgpu', plant: 'slower', restarts: 9, ...gpu },
      { provider: 'webgpu', plant: 'fallback', restarts: 2, ...gpu },
    ];
  }
  const small = { size: 'small', batch: 64 };
  return [
    { provider: 'cpu', plant: 'nothing', restarts: 6, ...small },
    { provider: 'cpu', plant: 'slower', restarts: 9, ...small },
    { provider: 'cpu', plant: 'bigger', restarts: 6, ...small, metric: 'memory.host.peak' },
    { provider: 'webgpu', plant: 'fallback', restarts: 2, ...small, batch: 1 },
  ];
}

function doctor() {
  const began = Date.now();
  const answer = spawnSync(process.execPath, [cli, 'doctor'], { encoding: 'utf8', env, timeout: 120_000 });
  writeFileSync(join(values.out, 'doctor.txt'), `${answer.stdout}${answer.stderr}`);
  console.log(answer.stdout);
  const seen = answer.status === null ? 'no answer in 120 s' : `exit code ${answer.status}`;
  return {
    step: 'doctor',
    expected: 'exit code 0',
    seen,
    verdict: answer.status === 0 ? 'as expected' : 'unexpected',
    seconds: since(began),
  };
}

function runStep({ provider, plant, restarts, size, batch, metric }) {
  const { title, expected, metric: usual } = PLANTS[plant];
  const wanted = metric ?? usual;
  const step = `${provider}: ${title}`;
  const about = { step, expected: `${wanted} ${expected.join(' or ')}` };
  if (Date.now() > endsAt - 30_000)
    return { ...about, seen: 'not run: the time is up', verdict: 'not run', seconds: 0 };
  const began = Date.now();
  const out = join(values.out, `${provider}-${plant}`);
  const model = (name) => join(here, 'models', `${size}-${name}.onnx`);
  const measured = call([
    'measure',
    model(plant),
    '--against',
    model('nothing'),
    '--provider',
    provider,
    '--batch',
    String(batch),
    '--restarts',
    String(restarts),
    '--out',
    out,
  ]);
  if (!existsSync(join(out, 'head.measurement.json'))) {
    return { ...about, seen: lastLine(measured), verdict: 'not run', seconds: since(began) };
  }
  const files = ['--base', join(out, 'base.measurement.json'), '--head', join(out, 'head.measurement.json')];
  const judged = call(['compare', ...files, '--out', out]);
  const verdictFile = join(out, 'verdict.json');
  if (!existsSync(verdictFile))
    return { ...about, seen: lastLine(judged), verdict: 'unexpected', seconds: since(began) };
  const row = JSON.parse(readFileSync(verdictFile, 'utf8')).rows.find((candidate) => candidate.metric === wanted);
  const seen = row ? describeRow(row) : `no row ${wanted}`;
  return {
    ...about,
    seen,
    verdict: expected.includes(row?.status) ? 'as expected' : 'unexpected',
    seconds: since(began),
  };
}

function call(args) {
  console.log(`model-gate ${args.join(' ')}`);
  return spawnSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    env,
    timeout: Math.max(1000, endsAt - Date.now()),
  });
}

function describeRow({ status, change, detectable, reason }) {
  const percent = (fraction) => `${(fraction * 100).toFixed(1)} %`;
  const parts = [
    status,
    change === null ? '' : percent(change),
    detectable === null ? '' : `could see ${percent(detectable)}`,
    status === 'regressed' || status === 'pass' ? '' : (reason ?? ''),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function lastLine({ stdout, stderr, status }) {
  const line = `${stdout}\n${stderr}`.trim().split('\n').at(-1) ?? '';
  return line.slice(0, 200) || `exit code ${status}`;
}

function since(began) {
  return Math.round((Date.now() - began) / 1000);
}

function toMarkdown(results) {
  const cell = (text) => String(text).replaceAll('|', '\\|');
  const rows = results.map(
    ({ step, expected, seen, verdict, seconds }) =>
      `| ${[step, expected, seen, verdict, seconds].map(cell).join(' | ')} |`,
  );
  return ['| step | expected | seen | | seconds |', '|---|---|---|---|--:|', ...rows, ''].join('\n');
}

main();
