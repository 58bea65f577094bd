import { describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { chooseArtifact, readHostileVerdict } from '../../src/publish/hostile-artifact.ts';
import { buildRegression } from '../fakes/verdict-builder.ts';

const VERDICT = buildRegression();
const JSON_TEXT = JSON.stringify(VERDICT);

function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [name, typeof content === 'string' ? strToU8(content) : content]),
    ),
  );
}

/** Overwrites the sizes that the archive claims for its first file, in both of its headers. */
function withClaimedSize(archive: Uint8Array, claimedBytes: number): Uint8Array {
  const lied = archive.slice();
  const view = new DataView(lied.buffer);
  view.setUint32(22, claimedBytes, true);
  for (let offset = 0; offset < lied.length - 4; offset++)
    if (view.getUint32(offset, true) === 0x02014b50) view.setUint32(offset + 24, claimedBytes, true);
  return lied;
}

function verdictWith(change: (verdict: Record<string, unknown>) => void): Uint8Array {
  const verdict = JSON.parse(JSON_TEXT);
  change(verdict);
  return zipOf({ 'verdict.json': JSON.stringify(verdict) });
}

describe('an honest artifact', () => {
  it('gives its verdict back', () => {
    expect(readHostileVerdict(zipOf({ 'verdict.json': JSON_TEXT, 'report.md': '# x' }))).toEqual(VERDICT);
  });

  it('may hold the verdict unpacked', () => {
    expect(readHostileVerdict(zipSync({ 'verdict.json': [strToU8(JSON_TEXT), { level: 0 }] }))).toEqual(VERDICT);
  });
});

describe('a hostile artifact', () => {
  it.each<[string, () => Uint8Array, RegExp]>([
    ['of no bytes', () => new Uint8Array(), /no zip archive/],
    ['of random bytes', () => strToU8('PK\u0003\u0004 but not really '.repeat(50)), /no zip archive/],
    ['cut in half', () => zipOf({ 'verdict.json': JSON_TEXT }).slice(0, 200), /no zip archive/],
    ['without a verdict', () => zipOf({ 'report.md': '# pass' }), /holds no verdict\.json at its top/],
    [
      'with the verdict in another folder',
      () => zipOf({ 'x/verdict.json': JSON_TEXT }),
      /holds no verdict\.json at its top/,
    ],
    [
      'with a path out of its folder',
      () => zipOf({ '../verdict.json': JSON_TEXT }),
      /holds no verdict\.json at its top/,
    ],
    ['with an absolute path', () => zipOf({ '/etc/verdict.json': JSON_TEXT }), /holds no verdict\.json at its top/],
    [
      'with the name of a prototype',
      () => zipOf({ 'constructor/__proto__': JSON_TEXT }),
      /holds no verdict\.json at its top/,
    ],
    [
      'of 3,000 files',
      () => zipOf(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`f${i}`, 'x']))),
      /over 2000 files/,
    ],
    ['over 32 MiB', () => new Uint8Array(33 * 1024 ** 2), /larger than 32 MiB/],
    [
      'that is a bomb and says so',
      () => zipOf({ 'verdict.json': new Uint8Array(17 * 1024 ** 2) }),
      /verdict\.json in the artifact is larger than 16 MiB/,
    ],
    [
      'that is a bomb and says it is small',
      () => withClaimedSize(zipOf({ 'verdict.json': new Uint8Array(17 * 1024 ** 2) }), 100),
      /is not JSON|no zip archive/,
    ],
    [
      'that claims 4 GiB',
      () => withClaimedSize(zipOf({ 'verdict.json': JSON_TEXT }), 0xffff_fff0),
      /larger than 16 MiB/,
    ],
    ['with text that is no JSON', () => zipOf({ 'verdict.json': '{"outcome":"pass"' }), /is not JSON/],
    ['with NaN', () => zipOf({ 'verdict.json': JSON_TEXT.replace('4.02', 'NaN') }), /is not JSON/],
    [
      'with 1e999',
      () => zipOf({ 'verdict.json': JSON_TEXT.replace('4.02', '1e999') }),
      /is no verdict: rows\.\d+\.base/,
    ],
    [
      'with bytes that are no UTF-8',
      () => zipOf({ 'verdict.json': new Uint8Array([0x22, 0xff, 0xfe, 0x22]) }),
      /is not JSON/,
    ],
    [
      'with two million brackets',
      () => zipOf({ 'verdict.json': '['.repeat(2e6) + ']'.repeat(2e6) }),
      /is no verdict|is not JSON/,
    ],
    [
      'of another schema',
      () =>
        verdictWith((verdict) => {
          verdict['schema'] = 'model-gate/verdict@2';
        }),
      /is no verdict: schema/,
    ],
    [
      'with an invented outcome',
      () =>
        verdictWith((verdict) => {
          verdict['outcome'] = '<script>';
        }),
      /is no verdict: outcome/,
    ],
    [
      'with rows that are no list',
      () =>
        verdictWith((verdict) => {
          verdict['rows'] = { length: 1e9 };
        }),
      /is no verdict: rows/,
    ],
    [
      'with 20,000 rows',
      () =>
        verdictWith((verdict) => {
          verdict['rows'] = Array(20_000).fill(VERDICT.rows[0]);
        }),
      /over 10000 rows/,
    ],
  ])('%s is refused in one line', (_, make, message) => {
    const archive = make();
    expect(() => readHostileVerdict(archive)).toThrow(
      expect.objectContaining({
        name: 'RefusedError',
        message: expect.stringMatching(new RegExp(`^[^\\n]*(?:${message.source})[^\\n]*$`)),
      }),
    );
  });

  it('does not reach the prototype of objects', () => {
    const text = JSON_TEXT.replace('"facts":{', '"facts":{"__proto__":{"polluted":true},');
    const verdict = readHostileVerdict(zipOf({ 'verdict.json': text }));
    expect(Object.hasOwn(verdict.environment.facts, '__proto__')).toBe(false);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('brings no field that a verdict does not have', () => {
    const archive = verdictWith((verdict) =>
      Object.assign(verdict, { pullNumber: 1, headSha: 'f'.repeat(40), url: 'file:///etc' }),
    );
    expect(readHostileVerdict(archive)).toEqual(VERDICT);
  });
});

describe('choosing the artifact', () => {
  const artifact = { id: 5, name: 'model-gate-results', sizeBytes: 1000, expired: false };

  it('takes the newest of that very name', () => {
    const listed = [
      artifact,
      { ...artifact, id: 9 },
      { ...artifact, id: 12, name: 'model-gate-results-2' },
      { ...artifact, id: 7 },
    ];
    expect(chooseArtifact(listed, 'model-gate-results').id).toBe(9);
  });

  it.each([
    ['none', [], 'NoVerdictError', /left no artifact "model-gate-results".*run it again/],
    ['an expired one', [{ ...artifact, expired: true }], 'NoVerdictError', /has expired/],
    ['one over 32 MiB', [{ ...artifact, sizeBytes: 33 * 1024 ** 2 }], 'RefusedError', /larger than 32 MiB/],
  ])('says so where there is %s', (_, listed, name, message) => {
    expect(() => chooseArtifact(listed, 'model-gate-results')).toThrow(
      expect.objectContaining({ name, message: expect.stringMatching(message) }),
    );
  });
});
