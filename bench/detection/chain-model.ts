import { floats, graph, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';
import { seededRandom } from '../levels/random.ts';

const WIDTH = 128;
/** Rows that make an inference about a millisecond long, as a small production model takes. */
const ROWS = 64;
const LAYERS = 100;
/** Weights are shared by layers, so that extra layers add work and next to no bytes. */
const DISTINCT_WEIGHTS = 4;
/** Values neither grow nor fade through dense layers with Relu (He): faded ones would be slow, not small. */
const SPREAD = Math.sqrt(6 / WIDTH);

/** Dimensions of the chain's one input, `x`. */
export const CHAIN_DIMS: readonly number[] = [ROWS, WIDTH];

/** A chain of 100 dense layers and `extra` more: each makes it about 1 % slower, on any machine. */
export function chainModel(extra: number, rows = ROWS): Uint8Array {
  const random = seededRandom(7);
  const weights = Array.from({ length: DISTINCT_WEIGHTS }, (_, index) =>
    floats(
      `w${index}`,
      [WIDTH, WIDTH],
      Array.from({ length: WIDTH * WIDTH }, () => (random() - 0.5) * 2 * SPREAD),
    ),
  );
  const layers = LAYERS + extra;
  const nodes = Array.from({ length: layers }, (_, index) => [
    node('MatMul', [index === 0 ? 'x' : `h${index}`, `w${index % DISTINCT_WEIGHTS}`], [`m${index}`]),
    node('Relu', [`m${index}`], [index === layers - 1 ? 'y' : `h${index + 1}`]),
  ]).flat();
  const ends = {
    inputs: [valueInfo('x', 'float32', [rows, WIDTH])],
    outputs: [valueInfo('y', 'float32', [rows, WIDTH])],
  };
  return modelBytes(graph({ nodes, initialisers: weights, ...ends }));
}
