import { floats, graph, modelBytes, node, valueInfo } from '../model/onnx-build.ts';

/** Version of the reference workload: numbers of different versions are never compared. */
export const REFERENCE_DEFINITION = 'reference-mlp@1';

/** Key under a restart's `rounds` that holds the reference's median latency of each round, ms. */
export const REFERENCE_ROUNDS = '@reference.latency.p50';

/** A fixed model that is the same in every session for ever: what it takes tells how fast the machine is today. */
export interface ReferenceWorkload {
  readonly definition: string;
  /** ONNX bytes; equal on every machine and version of the gate. */
  readonly bytes: Uint8Array;
  readonly input: { readonly name: string; readonly dims: readonly [number, number] };
}

interface Size {
  readonly batch: number;
  readonly width: number;
  readonly layers: number;
}

/** About a millisecond of one core, and 2 MiB of weights, as much as a core's own cache. */
const CPU_SIZE: Size = { batch: 32, width: 256, layers: 8 };
/** About 4 GFLOP and 32 MiB of weights: enough to fill a card. */
const GPU_SIZE: Size = { batch: 256, width: 1024, layers: 8 };

/** The reference workload of a provider: matrix products and activations, weights from a fixed generator. */
export function referenceWorkload(provider: string): ReferenceWorkload {
  const size = provider === 'cpu' ? CPU_SIZE : GPU_SIZE;
  const layers = Array.from({ length: size.layers }, (_, index) => index);
  const dims = [size.batch, size.width] as const;
  const random = uniform(20_261_201);
  const bytes = modelBytes(
    graph({
      name: REFERENCE_DEFINITION,
      nodes: layers.flatMap((index) => [
        node('MatMul', [index === 0 ? 'x' : `h${index}`, `w${index}`], [`p${index}`]),
        node('Relu', [`p${index}`], [index === size.layers - 1 ? 'y' : `h${index + 1}`]),
      ]),
      inputs: [valueInfo('x', 'float32', dims)],
      outputs: [valueInfo('y', 'float32', dims)],
      initialisers: layers.map((index) => floats(`w${index}`, [size.width, size.width], weights(size.width, random))),
    }),
  );
  return { definition: REFERENCE_DEFINITION, bytes, input: { name: 'x', dims } };
}

/** Uniform weights of variance 2 / width (He), which keep activations at one size through all layers. */
function weights(width: number, random: () => number): Float32Array {
  const bound = Math.sqrt(6 / width);
  return Float32Array.from({ length: width * width }, () => bound * (2 * random() - 1));
}

/** Uniform in [0, 1): a multiplicative congruential generator of Lehmer's, exact in doubles, equal everywhere. */
function uniform(seed: number): () => number {
  let state = seed % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
