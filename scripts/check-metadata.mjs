// Checks action.yml and the workflows with GitHub's own parser, and that action.yml, code and docs agree.
// node scripts/check-metadata.mjs [ROOT] [--write]    --write renews the tables in docs/action.md
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'yaml';

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..');
const options = process.argv.slice(2);
const root = options.find((option) => !option.startsWith('--')) ?? PROJECT;
const WORKFLOW_FOLDERS = ['.github/workflows', 'examples/workflows'];
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
const DOCS = 'docs/action.md';

const { parser, ACTION_INPUT_NAMES } = await loadSources();
const findings = [
  ...checkActionFile(),
  ...(await Promise.all(WORKFLOW_FOLDERS.flatMap(filesIn).map(checkWorkflow))).flat(),
  ...checkDocs(),
];
for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exit(1);
console.log('action.yml, workflows and docs are valid and agree with the code');

/** The parser's ESM imports JSON without attributes and our inputs are TypeScript: one bundle makes both loadable. */
async function loadSources() {
  const folder = mkdtempSync(join(tmpdir(), 'model-gate-metadata-'));
  const outfile = join(folder, 'sources.mjs');
  const lines = [
    `export * as parser from '@actions/workflow-parser';`,
    `export * from '@actions/workflow-parser/actions/action-parser';`,
    `export { ACTION_INPUT_NAMES } from './src/inputs/action-inputs.ts';`,
  ];
  try {
    await build({
      stdin: { contents: lines.join('\n'), resolveDir: PROJECT },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    const sources = await import(pathToFileURL(outfile).href);
    return { ...sources, parser: { ...sources.parser, parseAction: sources.parseAction } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function checkActionFile() {
  const file = { name: 'action.yml', content: read('action.yml') };
  const { context } = parser.parseAction(file, new parser.NoOperationTraceWriter());
  const { inputs = {}, outputs = {}, runs = {} } = parse(file.content) ?? {};
  const stated = Object.keys(inputs);
  return [
    ...errorsOf(context, file.name),
    ...ACTION_INPUT_NAMES.filter((name) => !stated.includes(name)).map(
      (name) => `action.yml: input ${name} is missing`,
    ),
    ...stated
      .filter((name) => !ACTION_INPUT_NAMES.includes(name))
      .map((name) => `action.yml: input ${name} is unknown to the code`),
    ...Object.entries(inputs).flatMap(([name, input]) => [
      ...(/ Allowed: .+\. Default: .+\.$/.test(input?.description ?? '')
        ? []
        : [`action.yml: input ${name} must state "Allowed: …. Default: …."`]),
      ...(name !== 'github-token' && input?.default !== undefined
        ? [`action.yml: input ${name} has a default: defaults live in the code`]
        : []),
    ]),
    ...Object.entries(outputs)
      .filter(([, output]) => !output?.description)
      .map(([name]) => `action.yml: output ${name} has no description`),
    ...(runs.using === 'node24' ? [] : ['action.yml: runs.using must be node24']),
  ];
}

async function checkWorkflow(path) {
  const content = read(path);
  const result = parser.parseWorkflow({ name: path, content }, new parser.NoOperationTraceWriter());
  if (result.value) await parser.convertWorkflowTemplate(result.context, result.value);
  const errors = errorsOf(result.context, path);
  if (errors.length > 0) return errors;
  const workflow = parse(content);
  const jobs = Object.entries(workflow.jobs ?? {});
  const steps = jobs.flatMap(([, job]) => job.steps ?? []);
  const uses = steps.map(({ uses }) => uses).filter((used) => used !== undefined && !used.startsWith('./'));
  const inputs = steps.filter(({ uses }) => isGate(uses)).flatMap(({ with: given = {} }) => Object.keys(given));
  return [
    ...uses.filter((used) => !PINNED.test(used)).map((used) => `${path}: ${used} is not pinned by a full commit`),
    ...uses
      .filter((used) => !new RegExp(`${used} # v\\d`).test(content))
      .map((used) => `${path}: ${used} has no version beside it`),
    ...steps
      .filter(({ run }) => /\$\{\{/.test(run ?? ''))
      .map(({ run }) => `${path}: an expression inside a script can be injected: ${run.split('\n')[0]}`),
    ...(workflow.permissions === undefined ? [`${path}: permissions are missing at the top`] : []),
    ...inputs
      .filter((name) => !ACTION_INPUT_NAMES.includes(name))
      .map((name) => `${path}: the action has no input ${name}`),
  ];
}

function isGate(used) {
  return used === './' || /^[\w.-]+\/model-gate@/.test(used ?? '');
}

function checkDocs() {
  const page = read(DOCS);
  const { inputs, outputs } = parse(read('action.yml'));
  const renewed = withTable(withTable(page, 'inputs', inputRows(inputs)), 'outputs', outputRows(outputs));
  if (options.includes('--write')) writeFileSync(join(root, DOCS), renewed);
  return page === renewed || options.includes('--write')
    ? []
    : [`${DOCS}: tables are out of date, run node scripts/check-metadata.mjs --write`];
}

function withTable(page, name, rows) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${DOCS} lacks ${start} … ${end}`);
  return `${page.slice(0, from + start.length)}\n${rows.join('\n')}\n${page.slice(to)}`;
}

function inputRows(inputs) {
  const rows = Object.entries(inputs).map(([name, { description }]) => {
    const [, text, allowed, fallback] = /^(.*) Allowed: (.*)\. Default: (.*)\.$/s.exec(description) ?? [];
    return `| \`${name}\` | ${[text, allowed, fallback].map(cell).join(' | ')} |`;
  });
  return ['| input | what it does | allowed | default |', '|---|---|---|---|', ...rows];
}

function outputRows(outputs) {
  return [
    '| output | what it holds |',
    '|---|---|',
    ...Object.entries(outputs).map(([name, { description }]) => `| \`${name}\` | ${cell(description)} |`),
  ];
}

function cell(text) {
  return String(text).replaceAll('|', '\\|').replaceAll('*', '\\*');
}

function errorsOf(context, path) {
  return context.errors.getErrors().map((error) => `${path}: ${error.message}`);
}

function filesIn(folder) {
  try {
    return readdirSync(join(root, folder))
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

function read(path) {
  return readFileSync(join(root, path), 'utf8');
}
