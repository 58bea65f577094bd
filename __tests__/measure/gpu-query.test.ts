import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  APP_FIELDS,
  chooseColumns,
  parseComputeApps,
  parseDevices,
  parseFieldHelp,
} from '../../src/measure/gpu-query.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/nvidia-smi/${name}`, import.meta.url), 'utf8');

const MIB = 2 ** 20;
const columns = chooseColumns(new Set(['uuid', 'memory.used', 'utilization.gpu', 'temperature.gpu', 'power.limit']));

describe('field list of a driver', () => {
  it('counts aliases, and quotes inside a sentence do no harm', () => {
    const fields = parseFieldHelp(fixture('help-query-gpu.txt'));
    expect(fields).toContain('clocks_throttle_reasons.active');
    expect(fields).toContain('clocks.current.sm');
    expect(fields).not.toContain('MiB');
  });

  it('asks an old driver by the old names and leaves out what it does not know', () => {
    const fields = chooseColumns(parseFieldHelp(fixture('help-query-gpu-450.txt'))).map(({ field }) => field);
    expect(fields).toContain('clocks_throttle_reasons.active');
    expect(fields).toContain('power.draw');
    expect(fields).toContain('pcie.link.gen.current');
    expect(fields.some((field) => field.startsWith('clocks_event'))).toBe(false);
  });

  it('prefers the new name where a driver knows both', () => {
    const fields = chooseColumns(parseFieldHelp(fixture('help-query-gpu.txt'))).map(({ field }) => field);
    expect(fields).toContain('clocks_event_reasons.active');
    expect(fields).not.toContain('clocks_throttle_reasons.active');
  });
});

describe('rows of cards', () => {
  it.each([
    '[N/A]',
    'N/A',
    '[Not Supported]',
    '[Unknown Error]',
    '[Insufficient Permissions]',
    '[Requested functionality has been deprecated]',
    '[Function Not Found]',
    'ERR!',
    '-',
    '',
  ])('reads %j as absent, not as zero', (marker) => {
    const [device] = parseDevices(`GPU-1, ${marker}, ${marker}, ${marker}, ${marker}\n`, columnsInOrder());
    expect(device).toMatchObject({
      memoryUsedBytes: null,
      utilization: null,
      temperatureC: null,
      powerLimitW: null,
    });
  });

  it('treats any bracketed text as absent', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9 /!.-]{0,30}$/), (text) => {
        const [device] = parseDevices(`GPU-1, [${text}], 1, 2, 3`, columnsInOrder());
        expect(device?.memoryUsedBytes).toBeNull();
      }),
    );
  });

  it('reads values with and without units', () => {
    const [device] = parseDevices('GPU-1, 19818 MiB, 97 %, 41, 700.00 W\n', columnsInOrder());
    expect(device).toMatchObject({
      memoryUsedBytes: 19_818 * MIB,
      utilization: 97,
      temperatureC: 41,
      powerLimitW: 700,
    });
  });

  it('keeps a true zero', () => {
    expect(parseDevices('GPU-1, 0, 0, 0, 70\n', columnsInOrder())[0]).toMatchObject({
      memoryUsedBytes: 0,
      utilization: 0,
    });
  });

  it('drops lines that are no row of the query', () => {
    const text = 'No devices were found\n\nGPU-1, 1, 2, 3, 4\nGPU-2, 1, 2\n[N/A], 1, 2, 3, 4\n';
    expect(parseDevices(text, columnsInOrder()).map(({ uuid }) => uuid)).toEqual(['GPU-1']);
  });
});

describe('list of compute processes', () => {
  it('asks for the name last, so that commas in it survive', () => {
    expect(APP_FIELDS.split(',').at(-1)).toBe('process_name');
    expect(parseComputeApps('21198, GPU-1, 7484, /opt/a, b/run\n')).toEqual([
      { pid: 21_198, gpuUuid: 'GPU-1', usedBytes: 7484 * MIB, name: '/opt/a, b/run' },
    ]);
  });

  it('knows processes whose memory is not told', () => {
    expect(parseComputeApps('7, GPU-1, [N/A], x')[0]?.usedBytes).toBeNull();
  });

  it('is empty for an idle card', () => {
    expect(parseComputeApps('\n')).toEqual([]);
  });
});

function columnsInOrder(): typeof columns {
  return ['uuid', 'memory.used', 'utilization.gpu', 'temperature.gpu', 'power.limit'].flatMap((field) =>
    columns.filter((column) => column.field === field),
  );
}
