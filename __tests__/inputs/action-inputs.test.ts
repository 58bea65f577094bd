import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ACTION_INPUT_NAMES, type ActionInputs, parseActionInputs } from '../../src/inputs/action-inputs.ts';

const DEFAULTS: ActionInputs = {
  command: 'gate',
  config: null,
  models: [],
  'base-ref': null,
  'pr-number': null,
  launch: false,
  'baseline-store': null,
  'baseline-branch': null,
  reason: null,
  'time-budget': null,
  enforce: true,
  'on-no-verdict': 'fail',
  'fail-fast': false,
  comment: 'on-change',
  'status-context': 'model-gate',
  shard: null,
  results: 'model-gate-results',
  'onnxruntime-path': null,
  'install-cuda': false,
  'lock-dir': null,
  'lock-clocks': null,
  'github-token': '',
};

/** Inputs as a workflow gives them; GitHub passes '' for the others. */
function given(inputs: Readonly<Record<string, string>>): ActionInputs {
  return parseActionInputs((name) => inputs[name] ?? '');
}

describe('action inputs', () => {
  it('have their defaults where nothing is set', () => {
    expect(given({})).toEqual(DEFAULTS);
  });

  it.each<[string, string, unknown]>([
    ['command', 'accept-baseline', 'accept-baseline'],
    ['models', 'ranker, models/**/*.onnx\n\n  convnet  ', ['ranker', 'models/**/*.onnx', 'convnet']],
    ['pr-number', '42', 42],
    ['pr-number', ' 42 ', 42],
    ['time-budget', '90s', 90_000],
    ['time-budget', '1.5h', 5_400_000],
    ['enforce', 'false', false],
    ['enforce', 'FALSE', false],
    ['fail-fast', 'true', true],
    ['baseline-store', 'branch', 'branch'],
    ['shard', '2/4', { index: 2, count: 4 }],
    ['shard', '256/256', { index: 256, count: 256 }],
    ['status-context', 'gate / a::b', 'gate / a::b'],
    ['base-ref', 'feat/a:b', 'feat/a:b'],
  ])('read %s: %j', (name, text, value) => {
    expect(given({ [name]: text })).toEqual({ ...DEFAULTS, [name]: value });
  });

  it.each<[string, string, RegExp]>([
    ['command', 'gats', /^input command: expected one of gate, .*, got "gats": did you mean "gate"\?$/],
    ['enforce', 'no', /^input enforce: expected true or false$/],
    ['enforce', '0', /^input enforce: expected true or false$/],
    ['fail-fast', 'flase', /^input fail-fast: expected true or false$/],
    ['pr-number', '0', /^input pr-number: expected a whole number from 1$/],
    ['pr-number', '1e3', /whole number/],
    ['pr-number', '-7', /whole number/],
    ['time-budget', '20', /^input time-budget: expected a duration such as "20m"/],
    ['on-no-verdict', 'ignore', /expected one of fail, pass/],
    ['comment', 'on change', /got "on change": did you mean "on-change"\?$/],
    ['baseline-store', 's3', /expected one of directory, branch/],
    ['shard', '5/4', /^input shard: expected a shard such as 2\/4, got "5\/4"$/],
    ['shard', '0/4', /expected a shard/],
    ['shard', '2', /expected a shard/],
    ['status-context', 'a\nb', /^input status-context: expected at most 100 visible characters$/],
    ['status-context', 'x'.repeat(101), /at most 100 visible/],
    ['command', 'x\n::error::boom', /^input command: [^\n]*$/],
  ])('refuse %s: %j', (name, text, message) => {
    expect(() => given({ [name]: text })).toThrow(
      expect.objectContaining({ name: 'RefusedError', message: expect.stringMatching(message) }),
    );
  });

  it('refuse several faults at once', () => {
    expect(() => given({ enforce: 'maybe', shard: 'x' })).toThrow(/input enforce: .*; input shard: /);
  });
});

describe('action.yml', () => {
  const { inputs } = parse(readFileSync('action.yml', 'utf8'));

  it('declares the inputs the code reads, and no others', () => {
    expect(Object.keys(inputs)).toEqual(ACTION_INPUT_NAMES);
  });

  it.each(Object.entries(DEFAULTS).filter(([name, value]) => name !== 'github-token' && value !== null))(
    'states the default of %s that the code has: %j',
    (name, value) => {
      const stated = /Default: (.*)\.$/.exec(inputs[name].description)?.[1] ?? '';
      const isWord = !Array.isArray(value);
      expect(isWord ? stated.split(/[;,]/)[0] : stated).toBe(isWord ? String(value) : 'the changed ones');
    },
  );

  it.each(['command', 'enforce', 'on-no-verdict', 'fail-fast', 'comment', 'baseline-store', 'launch', 'install-cuda'])(
    'states exactly the values of %s that the code takes',
    (name) => {
      const stated = /Allowed: (.*?)\. Default/.exec(inputs[name].description)?.[1]?.split(', ') ?? [];
      expect(stated.length).toBeGreaterThan(1);
      for (const value of stated) expect(() => given({ [name]: value })).not.toThrow();
      const refusal = messageOf(() => given({ [name]: 'no such value' }));
      const listed = /expected one of (.*), got/.exec(refusal)?.[1]?.split(', ') ?? ['true', 'false'];
      expect(stated).toEqual(listed);
    },
  );
});

function messageOf(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
