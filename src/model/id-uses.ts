import type { GraphProto, NodeProto } from 'onnx-buf';
import { graphsOf } from './walk-graph.ts';

/** How an input indexes tables in the graph. */
export type IdUse =
  | {
      readonly kind: 'table';
      /** Rows of the smallest table reached: ids lie in 0 … rows − 1. */
      readonly rows: number;
      /** Name of that table. */
      readonly table: string;
    }
  /** Indexes something whose size cannot be told from the file (computed table, shifted ids). */
  | { readonly kind: 'unknown' };

/** Operators whose output holds nothing but values of their first input. */
const KEEPS_VALUES = new Set(
  'Cast Identity Reshape Squeeze Unsqueeze Flatten Slice Split Transpose Expand Tile Gather GatherND Concat Dropout'.split(
    ' ',
  ),
);
/** Operators that compute other integers from integers. */
const SHIFTS_VALUES = new Set('Add Sub Mul Div Mod Where Clip Max Min Abs Neg ReduceSum ReduceMax CumSum'.split(' '));
/** Position of the indices, and of the table they look up, by operator. */
const LOOKUPS: Readonly<Record<string, readonly { readonly ids: number; readonly table: number }[]>> = {
  Gather: [{ ids: 1, table: 0 }],
  GatherElements: [{ ids: 1, table: 0 }],
  GatherND: [{ ids: 1, table: 0 }],
  EmbedLayerNormalization: [
    { ids: 0, table: 2 },
    { ids: 1, table: 4 },
  ],
};

/** Operators that keep a table's shape: stored quantised or in half precision. */
const KEEPS_SHAPE = new Set(['Cast', 'Identity', 'DequantizeLinear']);

interface Flow {
  readonly tables: Map<string, readonly number[]>;
  /** Inputs a value comes from; false where it is no longer the input's own ids. */
  readonly origins: Map<string, Map<string, boolean>>;
  readonly uses: Map<string, IdUse>;
}

/** Inputs of the main graph that index tables, and the range their ids must keep to. Follows nodes in graph order. */
export function findIdUses(graph: GraphProto): Readonly<Record<string, IdUse>> {
  const flow: Flow = { tables: tableDims(graph), origins: new Map(), uses: new Map() };
  for (const { name } of graph.input) if (!flow.tables.has(name)) flow.origins.set(name, new Map([[name, true]]));
  followNodes(graph.node, flow);
  return Object.fromEntries(flow.uses);
}

function followNodes(nodes: readonly NodeProto[], flow: Flow): void {
  for (const node of nodes) {
    for (const { ids, table } of LOOKUPS[node.opType] ?? []) noteLookup(node, ids, table, flow);
    passOrigins(node, flow);
    const stored = KEEPS_SHAPE.has(node.opType) ? flow.tables.get(node.input[0] ?? '') : undefined;
    if (stored) flow.tables.set(node.output[0] ?? '', stored);
    for (const attribute of node.attribute) for (const inner of graphsOf(attribute)) followNodes(inner.node, flow);
  }
}

function noteLookup(node: NodeProto, ids: number, table: number, flow: Flow): void {
  const dims = flow.tables.get(node.input[table] ?? '');
  const rows = node.opType === 'GatherND' ? undefined : dims?.[axisOf(node, dims.length)];
  for (const [input, exact] of flow.origins.get(node.input[ids] ?? '') ?? []) {
    const use: IdUse = exact && rows ? { kind: 'table', rows, table: node.input[table] ?? '' } : { kind: 'unknown' };
    flow.uses.set(input, stricter(flow.uses.get(input), use));
  }
}

function stricter(known: IdUse | undefined, next: IdUse): IdUse {
  if (!known || known.kind === 'unknown') return known ?? next;
  return next.kind === 'table' && next.rows >= known.rows ? known : next;
}

function axisOf(node: NodeProto, rank: number): number {
  const axis = Number(node.attribute.find(({ name }) => name === 'axis')?.i ?? 0n);
  return axis < 0 ? axis + rank : axis;
}

function passOrigins(node: NodeProto, flow: Flow): void {
  const keeps = KEEPS_VALUES.has(node.opType);
  if (!keeps && !SHIFTS_VALUES.has(node.opType)) return;
  const sources = keeps && node.opType !== 'Concat' ? node.input.slice(0, 1) : node.input;
  const origins = new Map<string, boolean>();
  for (const source of sources)
    for (const [input, exact] of flow.origins.get(source) ?? [])
      origins.set(input, exact && keeps && origins.get(input) !== false);
  if (origins.size > 0) for (const output of node.output) flow.origins.set(output, origins);
}

function tableDims(graph: GraphProto): Map<string, readonly number[]> {
  const dims = new Map<string, readonly number[]>();
  for (const { name, dims: sizes } of graph.initializer) dims.set(name, sizes.map(Number));
  for (const { opType, attribute, output } of graph.node) {
    const held = opType === 'Constant' ? attribute.find(({ t }) => t)?.t : undefined;
    if (held) dims.set(output[0] ?? '', held.dims.map(Number));
  }
  return dims;
}
