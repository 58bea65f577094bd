import type { GraphProto, NodeProto, TensorProto } from 'onnx-buf';
import { dtypeName, elementBytes } from './onnx-dtypes.ts';
import { ownValue } from './own-value.ts';
import { graphsOf } from './walk-graph.ts';

/** How an input indexes tables in the graph. */
export type IdUse =
  | {
      readonly kind: 'table';
      /** Rows of the smallest table reached: ids lie in 0 … rows − 1. */
      readonly rows: number;
      /** Name of that table. */
      readonly table: string;
      /** Bytes an id makes the model read: a row of the widest table reached. */
      readonly rowBytes: number;
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

/** Shape and element size of a stored table. */
interface Table {
  readonly dims: readonly number[];
  readonly elementBytes: number;
}

interface Flow {
  readonly tables: Map<string, Table>;
  /** Inputs a value comes from; false where it is no longer the input's own ids. */
  readonly origins: Map<string, Map<string, boolean>>;
  readonly uses: Map<string, IdUse>;
}

/** Inputs of the main graph that index tables, and the range their ids must keep to. Follows nodes in graph order. */
export function findIdUses(graph: GraphProto): Readonly<Record<string, IdUse>> {
  const flow: Flow = { tables: storedTables(graph), origins: new Map(), uses: new Map() };
  for (const { name } of graph.input) if (!flow.tables.has(name)) flow.origins.set(name, new Map([[name, true]]));
  followNodes(graph.node, flow);
  return Object.fromEntries(flow.uses);
}

function followNodes(nodes: readonly NodeProto[], flow: Flow): void {
  for (const node of nodes) {
    for (const { ids, table } of ownValue(LOOKUPS, node.opType) ?? []) noteLookup(node, ids, table, flow);
    passOrigins(node, flow);
    const stored = KEEPS_SHAPE.has(node.opType) ? flow.tables.get(node.input[0] ?? '') : undefined;
    if (stored) flow.tables.set(node.output[0] ?? '', stored);
    for (const attribute of node.attribute) for (const inner of graphsOf(attribute)) followNodes(inner.node, flow);
  }
}

function noteLookup(node: NodeProto, ids: number, tableAt: number, flow: Flow): void {
  const table = node.input[tableAt] ?? '';
  const stored = node.opType === 'GatherND' ? undefined : flow.tables.get(table);
  const rows = stored?.dims[axisOf(node, stored.dims.length)];
  const rowBytes = stored && rows ? stored.dims.reduce((product, dim) => product * dim, stored.elementBytes) / rows : 0;
  for (const [input, exact] of flow.origins.get(node.input[ids] ?? '') ?? []) {
    const use: IdUse = exact && rows ? { kind: 'table', rows, table, rowBytes } : { kind: 'unknown' };
    flow.uses.set(input, stricter(flow.uses.get(input), use));
  }
}

/** The smallest table bounds the ids, the widest row what they touch. */
function stricter(known: IdUse | undefined, next: IdUse): IdUse {
  if (known?.kind !== 'table' || next.kind !== 'table') return known?.kind === 'unknown' ? known : next;
  const smaller = next.rows < known.rows ? next : known;
  return { ...smaller, rowBytes: Math.max(known.rowBytes, next.rowBytes) };
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

function storedTables(graph: GraphProto): Map<string, Table> {
  const tables = new Map(graph.initializer.map((tensor) => [tensor.name, tableOf(tensor)]));
  for (const { opType, attribute, output } of graph.node) {
    const held = opType === 'Constant' ? attribute.find(({ t }) => t)?.t : undefined;
    if (held) tables.set(output[0] ?? '', tableOf(held));
  }
  return tables;
}

function tableOf({ dims, dataType }: TensorProto): Table {
  return { dims: dims.map(Number), elementBytes: elementBytes(dtypeName(dataType)) };
}
