import type { TensorProto, ValueInfoProto } from 'onnx-buf';
import { type DecodedModel, decodeModel } from './decode-model.ts';
import { type ExternalData, externalDataOf } from './external-data.ts';
import { findIdUses, type IdUse } from './id-uses.ts';
import { dtypeName, tensorBytes } from './onnx-dtypes.ts';
import { walkNodes, walkTensors } from './walk-graph.ts';

/** A size, the name of a symbolic dimension, or '' for a dimension that is dynamic without a name. */
export type Dim = number | string;

/** One input or output of a model. */
export interface TensorInfo {
  readonly name: string;
  /** As `float32`; `sequence`, `map`, `optional` or `sparse` for what is no dense tensor. */
  readonly dtype: string;
  /** Null where even the rank is unknown; [] is a scalar. */
  readonly dims: readonly Dim[] | null;
}

/** What a model file says about itself. */
export interface ModelFacts {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /** Opset version by domain; the default domain is ''. */
  readonly opsets: Readonly<Record<string, number>>;
  readonly irVersion: number;
  readonly producer: { readonly name: string; readonly version: string };
  /** Nodes by operator, as `Conv` or `com.microsoft:FusedConv`, subgraphs and functions included. */
  readonly operators: Readonly<Record<string, number>>;
  /** Bytes of stored tensors by dtype, external ones included. */
  readonly parameterBytes: Readonly<Record<string, number>>;
  readonly totalParameterBytes: number;
  readonly externalData: readonly ExternalData[];
  /** Inputs that index tables, by input name. */
  readonly idUses: Readonly<Record<string, IdUse>>;
}

/** Reads a model file's bytes; `path` is only named in messages. Throws RefusedError for what is no ONNX model. */
export function readModel(bytes: Uint8Array, path: string): ModelFacts {
  return factsOf(decodeModel(bytes, path), path);
}

/** Facts of a decoded model. Throws RefusedError for external data outside the model's folder. */
export function factsOf(model: DecodedModel, path: string): ModelFacts {
  const tensors = [...walkTensors(model)];
  const parameterBytes = sumBytes(tensors);
  return {
    inputs: feedableInputs(model).map(tensorInfo),
    outputs: model.graph.output.map(tensorInfo),
    opsets: Object.fromEntries(model.opsetImport.map(({ domain, version }) => [plainDomain(domain), Number(version)])),
    irVersion: Number(model.irVersion),
    producer: { name: model.producerName, version: model.producerVersion },
    operators: countOperators(model),
    parameterBytes,
    totalParameterBytes: Object.values(parameterBytes).reduce((sum, bytes) => sum + bytes, 0),
    externalData: tensors.map((tensor) => externalDataOf(tensor, path)).filter((data) => data !== null),
    idUses: findIdUses(model.graph),
  };
}

/** Inputs that must be fed: before IR version 4 initialisers had to be listed as inputs too. */
function feedableInputs({ graph }: DecodedModel): readonly ValueInfoProto[] {
  const stored = new Set(graph.initializer.map(({ name }) => name));
  for (const sparse of graph.sparseInitializer) stored.add(sparse.values?.name ?? '');
  return graph.input.filter(({ name }) => !stored.has(name));
}

function tensorInfo({ name, type }: ValueInfoProto): TensorInfo {
  const value = type?.value;
  if (value?.case === 'tensorType') {
    const { elemType, shape } = value.value;
    return { name, dtype: dtypeName(elemType), dims: shape ? shape.dim.map(({ value: dim }) => readDim(dim)) : null };
  }
  return { name, dtype: value?.case?.replace(/(Tensor)?Type$/, '') ?? 'undefined', dims: null };
}

type DimValue = { readonly case?: string | undefined; readonly value?: bigint | string | undefined };

/** Some exporters write dynamic sizes as negative numbers. */
function readDim(dim: DimValue): Dim {
  if (typeof dim.value === 'bigint') return dim.value < 0n ? '' : Number(dim.value);
  return dim.value ?? '';
}

function countOperators(model: DecodedModel): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { domain, opType } of walkNodes(model)) {
    const name = plainDomain(domain) === '' ? opType : `${domain}:${opType}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function plainDomain(domain: string): string {
  return domain === 'ai.onnx' ? '' : domain;
}

function sumBytes(tensors: readonly TensorProto[]): Record<string, number> {
  const bytes: Record<string, number> = {};
  for (const tensor of tensors) {
    const dtype = dtypeName(tensor.dataType);
    bytes[dtype] = (bytes[dtype] ?? 0) + tensorBytes(tensor);
  }
  return bytes;
}
