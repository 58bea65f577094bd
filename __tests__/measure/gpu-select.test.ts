import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseMigSliceState, parseMigSlices } from '../../src/measure/gpu-mig.ts';
import { chooseColumns, type GpuDevice, parseDevices } from '../../src/measure/gpu-query.ts';
import { selectGpu, workerEnvironment } from '../../src/measure/gpu-select.ts';
import { card } from '../fakes/nvidia-smi-scenario.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/nvidia-smi/${name}`, import.meta.url), 'utf8');

const FIRST = 'GPU-aaaa0000-0000-0000-0000-000000000001';
const SECOND = 'GPU-aaaa0000-0000-0000-0000-000000000002';
const SLICE = 'MIG-bbbb0000-0000-0000-0000-000000000002';
const slices = parseMigSlices(fixture('list-mig.txt'));

function devices(mig: string): GpuDevice[] {
  const rows = [
    card({ index: '1', uuid: SECOND, 'mig.mode.current': 'Disabled' }),
    card({ index: '0', uuid: FIRST, 'mig.mode.current': mig }),
  ];
  const columns = chooseColumns(new Set(Object.keys(card())));
  return parseDevices(rows.map((row) => columns.map(({ field }) => row[field]).join(', ')).join('\n'), columns);
}

function chosen(mig: string, visible: string | undefined, deviceId: number): string {
  const selection = selectGpu(devices(mig), mig === 'Enabled' ? slices : [], visible, deviceId);
  return 'selected' in selection
    ? (workerEnvironment(selection.selected)['CUDA_VISIBLE_DEVICES'] ?? '')
    : selection.unavailable;
}

describe('choosing the card', () => {
  it.each([
    ['the first by PCI order', 'Disabled', undefined, 0, FIRST],
    ['the second', 'Disabled', undefined, 1, SECOND],
    ['what the job may see', 'Disabled', '1', 0, SECOND],
    ['by UUID', 'Disabled', SECOND, 0, SECOND],
    ['by the beginning of an UUID', 'Disabled', 'GPU-aaaa0000-0000-0000-0000-000000000002'.slice(0, 40), 0, SECOND],
    ['the order of the list', 'Disabled', `${SECOND},0`, 1, FIRST],
    ['a slice of a MIG card', 'Enabled', undefined, 1, SLICE],
    ['a named slice', 'Enabled', SLICE, 0, SLICE],
    ['the card beside the MIG card', 'Enabled', undefined, 2, SECOND],
  ])('%s', (_, mig, visible, deviceId, uuid) => {
    expect(chosen(mig, visible, deviceId)).toBe(uuid);
  });

  it.each([
    ['a number too high', 'Disabled', undefined, 2, /device-id 2 asks for a GPU that is not there: 2 visible/],
    ['a list that names none', 'Disabled', 'GPU-ffff', 0, /CUDA_VISIBLE_DEVICES names none of the 2 GPUs/],
    ['an empty list', 'Disabled', '', 0, /CUDA_VISIBLE_DEVICES names none/],
    ['entries after an unknown one', 'Disabled', '-1,0', 0, /CUDA_VISIBLE_DEVICES names none/],
  ])('says what is wrong with %s', (_, mig, visible, deviceId, text) => {
    expect(chosen(mig, visible, deviceId)).toMatch(text);
  });

  it('says that a MIG card without instances cannot be used', () => {
    const [mig] = devices('Enabled').filter(({ uuid }) => uuid === FIRST);
    expect(selectGpu(mig ? [mig] : [], [], undefined, 0)).toEqual({
      unavailable: expect.stringContaining('no instance exists'),
    });
  });

  it('counts as nvidia-smi does', () => {
    const selection = selectGpu(devices('Disabled'), [], undefined, 0);
    expect('selected' in selection && workerEnvironment(selection.selected)).toMatchObject({
      CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
    });
  });
});

describe('MIG slices', () => {
  it('lists them with profile and parent', () => {
    expect(slices.map(({ profile, index, parentUuid }) => [profile, index, parentUuid])).toEqual([
      ['3g.20gb', 0, FIRST],
      ['1g.5gb+me', 1, FIRST],
    ]);
  });

  it('reads the form of the first MIG drivers', () => {
    expect(parseMigSlices(fixture('list-mig-450.txt'))[0]?.uuid).toBe(`MIG-${FIRST}/7/0`);
  });

  it('tells memory and processes of one slice from those of its neighbours', () => {
    const [first, second] = slices;
    expect(first && parseMigSliceState(fixture('query-mig.xml'), first)).toEqual({
      usedBytes: 1037 * 2 ** 20,
      freeBytes: 18_931 * 2 ** 20,
      pids: [4100],
    });
    expect(second && parseMigSliceState(fixture('query-mig.xml'), second)?.pids).toEqual([5200]);
  });

  it.each(['', 'No devices were found', '<a><b>', fixture('query-plain.xml')])(
    '%#: knows nothing from another text',
    (xml) => {
      expect(slices[0] && parseMigSliceState(xml, slices[0])).toBeNull();
    },
  );
});
