import type { NodeProto } from 'onnx-buf';
import { graph, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';
import { randomWeights } from './random-weights.ts';

const CHANNELS = [3, 16, 32, 64, 64];
const CLASSES = 10;

/** A small image classifier: `image` float32[batch, 3, 32, 32] through four convolutions, pooling and a linear layer. */
export function convnetModel(): Uint8Array {
  const layers = CHANNELS.slice(1).map((out, layer) => ({
    nodes: convolution(layer),
    weights: [
      randomWeights(`conv${layer}_weight`, [out, CHANNELS[layer] ?? 0, 3, 3]),
      randomWeights(`conv${layer}_bias`, [out]),
    ],
  }));
  const features = CHANNELS.at(-1) ?? 0;
  return modelBytes(
    graph({
      name: 'convnet',
      inputs: [valueInfo('image', 'float32', ['batch', 3, 32, 32])],
      outputs: [valueInfo('scores', 'float32', ['batch', CLASSES])],
      nodes: [
        ...layers.flatMap(({ nodes }) => nodes),
        node('GlobalAveragePool', [`relu${layers.length - 1}`], ['pooled']),
        node('Flatten', ['pooled'], ['features']),
        node('Gemm', ['features', 'classes_weight', 'classes_bias'], ['scores']),
      ],
      initialisers: [
        ...layers.flatMap(({ weights }) => weights),
        randomWeights('classes_weight', [features, CLASSES]),
        randomWeights('classes_bias', [CLASSES]),
      ],
    }),
  );
}

/** Every second layer halves the image. */
function convolution(layer: number): NodeProto[] {
  const from = layer === 0 ? 'image' : `relu${layer - 1}`;
  const stride = layer % 2 === 1 ? 2 : 1;
  return [
    node('Conv', [from, `conv${layer}_weight`, `conv${layer}_bias`], [`conv${layer}`], {
      kernel_shape: [3, 3],
      pads: [1, 1, 1, 1],
      strides: [stride, stride],
    }),
    node('Relu', [`conv${layer}`], [`relu${layer}`]),
  ];
}
