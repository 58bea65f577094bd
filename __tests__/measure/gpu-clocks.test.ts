import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { describeClocks } from '../../src/measure/gpu-clocks.ts';
import { lockClocks } from '../../src/measure/gpu-clocks-edge.ts';
import { fakeSmi, type Scenario } from '../fakes/nvidia-smi-scenario.ts';

const root = mkdtempSync(join(tmpdir(), 'gate-clocks-'));
const holderFile = join(root, 'holder.mjs');
beforeAll(async () => {
  const entry = fileURLToPath(new URL('../fakes/clock-holder.ts', import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: holderFile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const start = (scenario: Scenario = {}) => {
  const fake = fakeSmi(scenario);
  // The guard is a shell script, which needs the system's own commands too.
  return { ...fake, env: { ...fake.env, PATH: `${fake.env['PATH']}:/usr/bin:/bin` } };
};

describe('locked clocks', () => {
  it('are asked for, and given free when released', async () => {
    const fake = start();
    const lock = await lockClocks({ uuid: 'GPU-1', mhz: 1200, env: fake.env });
    expect(lock.refused).toBeNull();
    expect(fake.calls()).toEqual(['-lgc 1200,1200 -i GPU-1']);
    await lock.release();
    expect(fake.calls().at(-1)).toBe('-rgc -i GPU-1');
    fake.remove();
  });

  it('that are refused leave a reason and clean clocks', async () => {
    const fake = start({ clocks: 'forbidden' });
    const lock = await lockClocks({ uuid: 'GPU-1', mhz: 1200, env: fake.env });
    expect(lock.refused).toMatch(
      /^clocks float: they could not be locked at 1200 MHz \(The current user does not have/,
    );
    expect(fake.calls().at(-1)).toBe('-rgc -i GPU-1');
    await lock.release();
    fake.remove();
  });

  it.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM', 'SIGINT'])(
    'are given free when their owner ends by %s',
    async (signal) => {
      const fake = start();
      const owner = spawn(process.execPath, [holderFile], { env: fake.env, stdio: ['pipe', 'pipe', 'ignore'] });
      await once(owner.stdout, 'data');
      owner.kill(signal);
      await fake.called('-rgc -i GPU-1');
      expect(fake.calls()).toEqual(['-lgc 1200,1200 -i GPU-1', '-rgc -i GPU-1']);
      fake.remove();
    },
  );
});

describe('whether a lock held', () => {
  it.each([
    [[1200, 1195, 1210], null],
    [[], null],
    [[1200, 900], 'clocks were locked at 1200 MHz but 900 MHz was seen under load in 1 of 2 restarts'],
    [[800, 900], 'clocks were locked at 1200 MHz but 800 to 900 MHz was seen under load in 2 of 2 restarts'],
  ])('%j MHz seen', (seen, sentence) => {
    expect(describeClocks(1200, seen)).toBe(sentence);
  });
});
