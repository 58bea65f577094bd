import { describe, expect, it } from '@jest/globals';
import { type GpuSnapshot, judgeHealth, needsLongChunks } from '../../src/measure/gpu-health.ts';
import { chooseColumns, type GpuDevice, parseDevices } from '../../src/measure/gpu-query.ts';
import { card } from '../fakes/nvidia-smi-scenario.ts';

const WINDOW_MS = 10_000;
const OURS = [100, 101];

function device(cells: Record<string, string> = {}): GpuDevice {
  const row = card(cells);
  const columns = chooseColumns(new Set(Object.keys(row)));
  const [parsed] = parseDevices(columns.map(({ field }) => row[field]).join(', '), columns);
  if (parsed === undefined) throw new Error('the row is no card');
  return parsed;
}

function snapshot(
  takenAtMs: number,
  cells: Record<string, string> = {},
  pids: readonly number[] | null = [],
): GpuSnapshot {
  const apps = pids?.map((pid) => ({ pid, name: `p${pid}`, usedBytes: 1, gpuUuid: 'GPU-1' })) ?? null;
  return { takenAtMs, device: device(cells), apps };
}

const judge = (cells: Record<string, string>, pids: readonly number[] | null = OURS) =>
  judgeHealth(snapshot(0), snapshot(WINDOW_MS, cells, pids), OURS);

const counter = (name: string) => `clocks_event_reasons_counters.${name}`;

describe('health of a restart', () => {
  it('is good on a quiet card', () => {
    expect(judge({})).toMatchObject({ valid: true, notes: [], powerCapShare: 0 });
  });

  it.each([
    ['sw_thermal_slowdown', '100001', false],
    ['sw_thermal_slowdown', '100000', true],
    ['hw_thermal_slowdown', '200000', false],
    ['hw_power_brake_slowdown', '200000', false],
    ['hw_power_brake_slowdown', '[N/A]', true],
    ['sw_power_cap', '9000000', true],
  ])('counter %s growing to %s us in 10 s leaves it valid: %s', (name, value, valid) => {
    expect(judge({ [counter(name)]: value }).valid).toBe(valid);
  });

  it('names the cause and its share', () => {
    expect(judge({ [counter('hw_thermal_slowdown')]: '2500000' }).notes).toEqual([
      'hardware thermal slowdown in 25 % of the window',
    ]);
  });

  it('notes a power cap and stays valid: it is the steady state of many cards', () => {
    const health = judge({ [counter('sw_power_cap')]: '9001000' });
    expect(health).toMatchObject({ valid: true, powerCapShare: 0.9 });
    expect(health.notes).toEqual(['the power limit held clocks down in 90 % of the window']);
  });

  it('does not take flag 0x4 of an idle card for throttling', () => {
    expect(judge({ 'clocks_event_reasons.active': '0x0000000000000004' })).toMatchObject({ valid: true, notes: [] });
  });

  it.each([
    ['0x0000000000000008', 'hardware slowdown'],
    ['0x0000000000000040', 'hardware slowdown'],
    ['0x0000000000000080', 'hardware slowdown'],
  ])('takes flag %s for a hardware slowdown', (mask, text) => {
    const health = judge({ 'clocks_event_reasons.active': mask });
    expect(health.valid).toBe(false);
    expect(health.notes[0]).toContain(text);
  });

  it('falls back to the thermal flag where the driver has no counters', () => {
    const cells = Object.fromEntries(
      ['sw_power_cap', 'sw_thermal_slowdown', 'hw_thermal_slowdown', 'hw_power_brake_slowdown'].map((name) => [
        counter(name),
        '[N/A]',
      ]),
    );
    const health = judge({ ...cells, 'clocks_event_reasons.active': '0x0000000000000020' });
    expect(health).toMatchObject({ valid: false, powerCapShare: null });
  });

  it('makes nothing of a counter that was reset by a reloaded driver', () => {
    const before = snapshot(0, { [counter('hw_thermal_slowdown')]: '999999999' });
    expect(judgeHealth(before, snapshot(WINDOW_MS, {}, OURS), OURS).valid).toBe(true);
  });

  it('is invalid after an uncorrected memory error, and not for an old one', () => {
    const ecc = 'ecc.errors.uncorrected.volatile.total';
    expect(judge({ [ecc]: '1' }).valid).toBe(false);
    const old = judgeHealth(snapshot(0, { [ecc]: '3' }), snapshot(WINDOW_MS, { [ecc]: '3' }, OURS), OURS);
    expect(old.valid).toBe(true);
  });

  it('is invalid when the driver asks for a recovery after it', () => {
    expect(judge({ gpu_recovery_action: 'Reset' }).notes).toEqual(['the card failed: its driver now asks for "Reset"']);
  });

  it('records clocks and link as seen at the end of the load', () => {
    expect(judge({ 'clocks.current.sm': '1590' }).facts).toMatchObject({
      'gpu.clockSmMHz': 1590,
      'pcie.generation': 3,
    });
  });
});

describe('strangers on the card', () => {
  it.each([
    ['only ours', OURS, true],
    ['ours and another', [...OURS, 7], false],
    ['a container that lists nothing', [], true],
    ['a container that lists our two by host pids', [9001, 9002], true],
    ['a container that lists three for our two', [9001, 9002, 9003], false],
    ['a list that is refused', null, true],
  ])('%s', (_, pids, valid) => {
    expect(judge({}, pids).valid).toBe(valid);
  });

  it('sees one that left before the end', () => {
    const health = judgeHealth(snapshot(0, {}, [7]), snapshot(WINDOW_MS, {}, OURS), OURS);
    expect(health.notes).toEqual(['another compute process uses the card (pid 7)']);
  });

  it('does not count the daemon of the multi-process service', () => {
    const mps = { pid: 7, name: '/usr/bin/nvidia-cuda-mps-server', usedBytes: 1, gpuUuid: 'GPU-1' };
    const after = snapshot(WINDOW_MS, {}, OURS);
    expect(judgeHealth(snapshot(0), { ...after, apps: [...(after.apps ?? []), mps] }, OURS).valid).toBe(true);
  });
});

describe('length of turns under a power cap', () => {
  const capped = judge({ [counter('sw_power_cap')]: '9000000' });
  const free = judge({});
  it.each([
    [[], false],
    [[free], false],
    [[capped], true],
    [[capped, ...Array(9).fill(free)], false],
    [[capped, ...Array(8).fill(free)], true],
  ])('%#: %j', (restarts, long) => {
    expect(needsLongChunks(restarts)).toBe(long);
  });
});
