import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const FOLDER = 'examples/workflows';
const SCRIPT = 'scripts/check-metadata.mjs';

interface Job {
  readonly 'runs-on': string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string };
  readonly steps: ReadonlyArray<{
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }>;
}

const workflows = readdirSync(FOLDER).map((name) => ({
  name,
  content: parse(readFileSync(join(FOLDER, name), 'utf8')),
}));
const jobs = workflows.flatMap(({ name, content }) =>
  Object.entries<Job>(content.jobs).map(([id, job]) => ({ name: `${name} ${id}`, job })),
);

describe('action.yml and the example workflows', () => {
  it("are valid to GitHub's own parser and agree with code and docs", () => {
    expect(execFileSync(process.execPath, [SCRIPT], { encoding: 'utf8' })).toMatch(/are valid and agree/);
  });

  it('cover every way the gate is used', () => {
    expect(workflows.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'pull-request.yml',
        'merge-queue.yml',
        'launch.yml',
        'dispatch.yml',
        'fork-first-stage.yml',
        'fork-publish.yml',
        'sharded.yml',
        'nightly.yml',
        'baselines.yml',
        'accept.yml',
      ]),
    );
  });

  it('never run files of a change with rights it must not have', () => {
    expect(workflows.filter(({ content }) => content.on['pull_request_target'] !== undefined)).toEqual([]);
    const publish = workflows.find(({ name }) => name === 'fork-publish.yml')?.content.jobs.publish as Job;
    expect(publish.steps.map(({ uses }) => uses?.split('@')[0])).toEqual(['your-org/model-gate']);
    expect(publish['runs-on']).toBe('ubuntu-latest');
    const first = workflows.find(({ name }) => name === 'fork-first-stage.yml')?.content.jobs.gate as Job;
    expect(first.permissions).toEqual({ contents: 'read' });
  });

  it.each(workflows)('$name gives rights to jobs alone, and only these', ({ content }) => {
    expect(content.permissions).toEqual({});
    const given = Object.values<Job>(content.jobs).flatMap(({ permissions = {} }) =>
      Object.entries(permissions).map(([right, level]) => `${right}: ${level}`),
    );
    const known = ['contents: read', 'pull-requests: write', 'statuses: write'];
    const extra = {
      'fork-publish.yml': ['actions: read'],
      'baselines.yml': ['contents: write'],
      'accept.yml': ['actions: read', 'contents: write'],
    };
    const name = workflows.find((workflow) => workflow.content === content)?.name ?? '';
    for (const right of given) expect([...known, ...(extra[name as keyof typeof extra] ?? [])]).toContain(right);
  });

  it.each(jobs.filter(({ job }) => job['runs-on'].includes('gpu')))(
    '$name measures alone or in shards, with a time limit',
    ({ name, job }) => {
      expect(job).toHaveProperty('timeout-minutes');
      if (!name.startsWith('sharded')) expect(job.concurrency).toEqual({ group: 'gpu', queue: 'max' });
    },
  );
});

describe('the check of metadata', () => {
  let root: string;
  let findings: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'model-gate-broken-'));
    cpSync('docs/action.md', join(root, 'docs/action.md'));
    const action = readFileSync('action.yml', 'utf8')
      .replace('using: node24', 'using: node99')
      .replace(/ {2}shard:\n.*\n/, '')
      .replace('  fail-fast:', '  fail-slow:')
      .replace('Default: gate.', 'By default gate.');
    writeFileSync(join(root, 'action.yml'), action);
    mkdirSync(join(root, FOLDER), { recursive: true });
    const workflow = (name: string, change: (text: string) => string) =>
      writeFileSync(join(root, FOLDER, name), change(readFileSync(join(FOLDER, 'pull-request.yml'), 'utf8')));
    workflow('tag.yml', (text) => text.replace(/actions\/checkout@\w+ # v7.0.0/, 'actions/checkout@v7'));
    workflow('version.yml', (text) => text.replace(' # v7.0.0', ''));
    workflow('right.yml', (text) => text.replace('statuses: write', 'status: write'));
    workflow('open.yml', (text) => text.replace('permissions: {}\n', ''));
    workflow('needs.yml', (text) => text.replace('    timeout-minutes: 60', '    needs: nobody'));
    workflow('script.yml', (text) => `${text}      - run: echo \${{ github.head_ref }}\n`);
    workflow('input.yml', (text) => text.replace('here\n', 'here\n        with:\n          treshold: 3\n'));
    findings = spawnSync(process.execPath, [SCRIPT, root], { encoding: 'utf8' }).stderr;
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it.each([
    /action\.yml: .*node99/,
    /action\.yml: runs\.using must be node24/,
    /action\.yml: input shard is missing/,
    /action\.yml: input fail-slow is unknown to the code/,
    /action\.yml: input command must state "Allowed/,
    /tag\.yml: actions\/checkout@v7 is not pinned by a full commit/,
    /version\.yml: actions\/checkout@[0-9a-f]{40} has no version beside it/,
    /right\.yml: .*status/,
    /open\.yml: permissions are missing at the top/,
    /needs\.yml: .*must contain at least one job with no dependencies/,
    /script\.yml: an expression inside a script can be injected/,
    /input\.yml: the action has no input treshold/,
    /docs\/action\.md: tables are out of date/,
  ])('finds %s', (finding) => {
    expect(findings).toMatch(finding);
  });
});
