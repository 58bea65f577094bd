import { describe, expect, it } from '@jest/globals';
import { fillFeed } from '../../src/measure/feed-fill.ts';
import { float32s, runOnnx } from '../fakes/run-onnx.ts';
import { danglingInputModel, nanModel, tinyMlp, unknownOpModel, wrongOpsetModel } from '../fakes/tiny-models.ts';

const X = fillFeed(
  { name: 'x', dtype: 'float32', dims: [2, 16], arms: 'both', source: { fill: 'normal', seed: 0 } },
  0,
);

describe('tiny models in onnxruntime', () => {
  it('runs the one that works', async () => {
    const { outputs } = await runOnnx(tinyMlp(), { x: X });
    expect(outputs?.['y']).toMatchObject({ dtype: 'float32', dims: [2, 16] });
  });

  it('gives NaN without an error', async () => {
    const { outputs } = await runOnnx(nanModel(), { x: X });
    expect([...float32s(outputs?.['y'] ?? { dtype: '', dims: [] })].every(Number.isNaN)).toBe(true);
  });

  it.each([
    ['an unknown operator', unknownOpModel(), 'FooBar'],
    ['an opset of the future', wrongOpsetModel(), 'opset'],
    ['a tensor nobody makes', danglingInputModel(), 'nope'],
  ])('fails to load %s', async (_, model, message) => {
    expect((await runOnnx(model, { x: X })).error).toContain(message);
  });
});
