import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { listKeys, renderConfigSchema, renderConfigurationDocs } from '../../src/inputs/config-docs.ts';
import { configJsonSchema, keysAt } from '../../src/inputs/config-schema.ts';
import { KEY_TEXTS } from '../../src/inputs/config-schema-text.ts';

describe('documents generated from the config schema', () => {
  it.each([
    ['docs/configuration.md', renderConfigurationDocs],
    ['docs/model-gate.schema.json', renderConfigSchema],
  ])('%s is what `node scripts/write-docs.mjs` writes', (path, render) => {
    expect(readFileSync(path, 'utf8')).toBe(render());
  });

  it('describes every key, and no key that does not exist', () => {
    const keys = [...new Set(listKeys(configJsonSchema()).map((key) => key.place))];
    expect([...KEY_TEXTS.keys()].sort()).toEqual(keys.sort());
  });

  it('is a JSON Schema that accepts a config and finds a slip', () => {
    const validate = new Ajv2020({ strict: false, formats: { date: true } }).compile(JSON.parse(renderConfigSchema()));
    expect(validate(parse('version: 1\nmodels: [{path: a.onnx, batches: [1, 8]}]'))).toBe(true);
    expect(validate(parse('version: 1\nmodels: [{path: a.onnx, bacthes: [1, 8]}]'))).toBe(false);
  });

  it.each<[(string | number)[], string]>([
    [['models', 0], 'prepare'],
    [['models', 0, 'metrics', 'x', 'margin'], 'floor'],
    [['models', 3, 'inputs', 'constructor'], 'fill'],
  ])('knows the keys at %j', (path, key) => {
    expect(keysAt(path)).toContain(key);
  });

  it('knows no keys where any name is allowed', () => {
    expect(keysAt(['metrics'])).toEqual([]);
  });
});
