import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { judgeThrottle, parseCfs, parseCpuMax, parseMemoryBytes, parseThrottle } from '../../src/measure/cgroup.ts';
import { readCgroupLimits, readThrottle } from '../../src/measure/cgroup-edge.ts';
import { readCpuGrant } from '../../src/measure/cpu-grant-edge.ts';
import { freeBytes, parseCacheSize } from '../../src/measure/host-memory.ts';
import { chooseCores, chooseThreads, parseCpuList } from '../../src/measure/threads.ts';

const grant = (cpus: number, quotaCpus: number | null = null, perCore = 1) => ({
  allowed: Array.from({ length: cpus }, (_, cpu) => cpu),
  siblings: Object.fromEntries(
    Array.from({ length: cpus }, (_, cpu) => {
      const cores = cpus / perCore;
      return [cpu, Array.from({ length: perCore }, (_, thread) => (cpu % cores) + thread * cores)];
    }),
  ),
  quotaCpus,
});

describe('threads', () => {
  it.each([
    ['one processor', grant(1), 1],
    ['two', grant(2), 2],
    ['a large host', grant(64), 8],
    ['a quota of 2.5', grant(64, 2.5), 2],
    ['a quota under one', grant(64, 0.5), 1],
    ['an affinity below the quota', grant(2, 16), 2],
  ])('on %s', (_, machine, threads) => {
    expect(chooseThreads(machine)).toBe(threads);
  });

  it.each([
    ['all processors are needed', grant(2), 2, null],
    ['some are spare', grant(4), 2, [0, 1]],
    ['siblings share cores', grant(8, null, 2), 4, [0, 1, 2, 3]],
    ['there are fewer cores than threads', grant(8, null, 2), 6, null],
  ])('are pinned where %s', (_, machine, threads, cores) => {
    expect(chooseCores(machine, threads)).toEqual(cores);
  });

  it('are read from this machine', () => {
    const real = readCpuGrant();
    expect(real.allowed.length).toBeGreaterThan(0);
    expect(real.siblings[real.allowed[0] ?? -1]).toContain(real.allowed[0]);
  });

  it.each([
    ['0-3,8,10-11', [0, 1, 2, 3, 8, 10, 11]],
    ['5', [5]],
    ['', []],
    ['nonsense', []],
  ])('list %j', (text, cpus) => {
    expect(parseCpuList(text)).toEqual(cpus);
  });
});

const root = mkdtempSync(join(tmpdir(), 'cgroup-'));
afterAll(() => rmSync(root, { recursive: true }));

function tree(name: string, self: string, files: Record<string, string>): [string, string] {
  for (const [path, text] of Object.entries({ self, ...files })) {
    const file = join(root, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return [join(root, name), join(root, name, 'self')];
}

describe('limits of control groups', () => {
  it('of version 2 are the tightest of all ancestors', () => {
    const limits = tree('v2', '0::/pod/worker\n', {
      'pod/cpu.max': '250000 100000\n',
      'pod/memory.max': '4294967296\n',
      'pod/memory.current': '1000\n',
      'pod/worker/cpu.max': 'max 100000\n',
      'pod/worker/memory.max': 'max\n',
    });
    expect(readCgroupLimits(...limits)).toEqual({
      cpus: 2.5,
      periodMs: 100,
      memoryBytes: 2 ** 32,
      memoryUsedBytes: 1000,
    });
  });

  it('of version 1 have their own files and numbers for none', () => {
    const limits = tree('v1', '4:memory:/docker/x\n1:cpu,cpuacct:/docker/x\n0::/\n', {
      'cpu/docker/x/cpu.cfs_quota_us': '400000\n',
      'cpu/docker/x/cpu.cfs_period_us': '100000\n',
      'cpu/cpu.cfs_quota_us': '-1\n',
      'cpu/cpu.cfs_period_us': '100000\n',
      'memory/docker/x/memory.limit_in_bytes': '9223372036854771712\n',
    });
    expect(readCgroupLimits(...limits)).toEqual({ cpus: 4, periodMs: 100, memoryBytes: null, memoryUsedBytes: null });
  });

  it('inside a container, where the path is not mounted, are those of the root', () => {
    const limits = tree('inner', '0::/kubepods/pod1/abc\n', { 'cpu.max': '150000 100000\n' });
    expect(readCgroupLimits(...limits).cpus).toBe(1.5);
  });

  it('are none without control groups', () => {
    const none = { cpus: null, periodMs: null, memoryBytes: null, memoryUsedBytes: null };
    expect(readCgroupLimits(join(root, 'absent'), join(root, 'absent'))).toEqual(none);
  });

  it.each([
    ['max 100000', null],
    ['50000 100000', 0.5],
    ['', null],
  ])('read cpu.max %j', (text, cpus) => {
    expect(parseCpuMax(text)?.cpus ?? null).toBe(cpus);
  });

  it.each([
    ['-1', '100000', null],
    ['200000', '50000', 4],
  ])('read quota %s of %s', (quota, period, cpus) => {
    expect(parseCfs(quota, period)?.cpus ?? null).toBe(cpus);
  });

  it.each([
    ['max', null],
    ['1048576', 1048576],
    ['', null],
  ])('read memory %j', (text, bytes) => {
    expect(parseMemoryBytes(text)).toBe(bytes);
  });
});

describe('throttling by a quota', () => {
  const count = (periods: number, throttled: number) => ({ periods, throttled });
  it.each([
    ['none', count(10, 0), count(110, 5), null],
    ['too much', count(10, 0), count(110, 6), 'held back by the processor quota in 6 % of periods'],
    ['no period passed', count(10, 3), count(10, 3), null],
    ['not counted', null, null, null],
  ])('is %s', (_, before, after, fault) => {
    expect(judgeThrottle(before, after)).toBe(fault);
  });

  it('is read from either version', () => {
    const stat = 'nr_periods 20\nnr_throttled 3\nthrottled_time 5\n';
    expect(readThrottle(...tree('t2', '0::/a\n', { 'a/cpu.stat': `usage_usec 5\n${stat}` }))).toEqual(count(20, 3));
    expect(readThrottle(...tree('t1', '1:cpu:/a\n', { 'cpu/a/cpu.stat': stat }))).toEqual(count(20, 3));
    expect(parseThrottle('usage_usec 5\n')).toBeNull();
  });
});

describe('memory and cache of the host', () => {
  const meminfo = 'MemTotal: 100 kB\nMemAvailable:     2048 kB\n';
  const limited = { cpus: null, periodMs: null, memoryBytes: 3000, memoryUsedBytes: 2000 };
  it.each([
    ['the machine has it', meminfo, { ...limited, memoryBytes: null }, 2048 * 1024],
    ['the group has less', meminfo, limited, 1000],
    ['only the group says', '', limited, 1000],
    ['nobody says', '', { ...limited, memoryBytes: null }, null],
  ])('is free as %s', (_, text, limits, bytes) => {
    expect(freeBytes(text, limits)).toBe(bytes);
  });

  it.each([
    ['32K\n', 32768],
    ['480M', 480 * 2 ** 20],
    ['big', null],
  ])('cache %j', (text, bytes) => {
    expect(parseCacheSize(text)).toBe(bytes);
  });
});
