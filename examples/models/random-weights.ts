import type { TensorProto } from 'onnx-buf';
import { normalDraws, seedRandom } from '../../src/measure/feed-random.ts';
import { floats } from '../../src/model/onnx-build.ts';

/** Normal weights that keep the variance of a layer (He et al. 2015), seeded by the tensor's name. */
export function randomWeights(name: string, dims: readonly number[]): TensorProto {
  const count = dims.reduce((product, size) => product * size, 1);
  const fanIn = dims.length === 4 ? count / (dims[0] ?? 1) : (dims[0] ?? 1);
  const draw = normalDraws(seedRandom(name));
  const scale = dims.length === 1 ? 0.01 : Math.sqrt(2 / fanIn);
  return floats(
    name,
    dims,
    Float32Array.from({ length: count }, () => draw() * scale),
  );
}
