import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Preparation } from '../../src/measure/measurer.ts';
import type { ArmSpec } from '../../src/plan/plan.ts';
import { hugeAllocationModel, infiniteLoopModel, nanModel, tinyMlp, unknownOpModel } from '../fakes/tiny-models.ts';
import { type Bench, feed, groupOf, openBench } from './measurer-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const FEEDS = [feed('x', 'float32', [4, 16])];
const ID = 'm/cpu/b4/c1';
const SHORT = { firstRunMs: 1200 };
const good = () => bench.arm(tinyMlp());

async function prepare(
  base: ArmSpec | null,
  head: ArmSpec,
  options: Parameters<Bench['measurer']>[0] = {},
): Promise<Preparation> {
  const measurer = bench.measurer({ timeouts: SHORT, ...options });
  const group = groupOf(base, head, FEEDS);
  try {
    return await measurer.prepare(group);
  } finally {
    await measurer.finish(group);
  }
}

describe('a head that fails where base runs is broken', () => {
  it.each([
    ['an unknown operator', unknownOpModel(), /^head fails where base runs: loading the model: .*FooBar/],
    [
      'a truncated file',
      tinyMlp().slice(0, 100),
      /^head fails where base runs: loading the model: .*Protobuf parsing failed/,
    ],
    ['a run that never ends', infiniteLoopModel(), /^head fails where base runs: no answer for 1.2 s during the first/],
    ['NaN', nanModel(), /^output "y" holds 64 NaN or infinite values in head, none in base$/],
    [
      'too large a tensor',
      hugeAllocationModel(),
      /^head fails where base runs: the first inference: .*[Ff]ailed to allocate memory/,
    ],
  ])('by %s', async (_, bytes, reason) => {
    const { fault } = await prepare(good(), bench.arm(bytes));
    expect(fault).toMatchObject({ kind: 'head-broken', reason: expect.stringMatching(reason) });
    expect(fault?.reason).not.toContain(bench.root);
  });

  it('by want of memory under a limit', async () => {
    const limit = { launcher: ['prlimit', '--as=6000000000'] };
    const { fault } = await prepare(good(), bench.arm(hugeAllocationModel(8e9)), limit);
    expect(fault).toMatchObject({ kind: 'head-broken', reason: expect.stringMatching(/bad_alloc|allocate/) });
  });
});

describe('what head is not to blame for is no verdict', () => {
  it.each([
    [
      'base fails too',
      () => [bench.arm(unknownOpModel()), bench.arm(unknownOpModel())],
      /base (fails too|does not run)/,
    ],
    ['only base fails', () => [bench.arm(unknownOpModel()), good()], /^base does not run: loading the model/],
    ['a new model fails', () => [null, bench.arm(unknownOpModel())], /^the model does not run: loading the model/],
  ] as const)('%s', async (_, arms, reason) => {
    const [base, head]: readonly (ArmSpec | null)[] = arms();
    const { fault } = await prepare(base ?? null, head ?? good());
    expect(fault).toMatchObject({ kind: 'not-measured', reason: expect.stringMatching(reason) });
  });

  it('an engine without the provider', async () => {
    const measurer = bench.measurer();
    const group = groupOf(good(), good(), FEEDS, { provider: 'CUDAExecutionProvider' });
    await expect(measurer.prepare(group)).rejects.toThrow(
      /^provider "CUDAExecutionProvider" is not in onnxruntime-node .*: it has cpu/,
    );
    await measurer.finish(group);
  });
});

/** A launcher under which the start with this number dies of a signal at once; starts are counted in a file. */
function dyingStart(number: number, signal: string): string[] {
  const counter = join(bench.root, `starts-${number}-${signal}`);
  writeFileSync(counter, '0');
  const script = `n=$(cat ${counter}); echo $((n+1)) > ${counter}; [ "$n" = ${number} ] && kill -${signal} $$; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh'];
}

/** Starts of a preparation without faults: two primed, one empty, two profiled. */
const PREPARING_STARTS = 5;

describe('a worker that dies in a restart', () => {
  it.each([
    ['killed', 'KILL', /killed \(SIGKILL\) during starting the engine, most likely for want of memory/],
    ['crashed', 'SEGV', /crashed \(SIGSEGV\) during starting the engine/],
  ])('when %s makes it invalid for both arms, and the next one counts', async (_, signal, reason) => {
    const group = groupOf(good(), good(), FEEDS);
    const measurer = bench.measurer({ launcher: dyingStart(PREPARING_STARTS, signal) });
    expect((await measurer.prepare(group)).fault).toBeNull();
    const failed = await measurer.restart(group, 0, [ID]);
    const next = await measurer.restart(group, 1, [ID]);
    await measurer.finish(group);
    expect(failed.fault).toBeNull();
    const { base, head } = failed.pairs[ID] ?? {};
    expect([base?.valid, head?.valid]).toEqual([false, false]);
    expect(head?.notes[0]).toMatch(reason);
    expect([next.pairs[ID]?.base?.valid, next.pairs[ID]?.head.valid]).toEqual([true, true]);
  });

  it('in the preparation is tried once more before anybody is blamed', async () => {
    const { fault } = await prepare(good(), good(), { launcher: dyingStart(0, 'SEGV') });
    expect(fault).toBeNull();
  });
});

describe('what a worker prints', () => {
  it('is kept for the tail, without control characters, and reaches no output of ours', async () => {
    const printing = 'printf "::error::out\\n"; printf "\\033[31m::error::err\\033[0m\\007\\n" >&2; exec "$@"';
    const launcher = ['/bin/sh', '-c', printing, 'sh'];
    const { fault } = await prepare(good(), bench.arm(unknownOpModel()), { launcher });
    expect(fault?.stderrTail?.split('\n').slice(0, 2).sort()).toEqual(['::error::err', '::error::out'].sort());
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested.
    expect(fault?.stderrTail).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });
});
