import type { AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto } from 'onnx-buf';

/** Every node of the model: main graph, subgraphs of If, Loop and Scan, and local functions. */
export function* walkNodes(model: ModelProto): Generator<NodeProto> {
  if (model.graph) yield* nodesWithin(model.graph.node);
  for (const local of model.functions) yield* nodesWithin(local.node);
}

/** Every stored tensor of the model: initialisers (dense, sparse) of all graphs, and tensors held by attributes. */
export function* walkTensors(model: ModelProto): Generator<TensorProto> {
  if (model.graph) yield* initialisersOf(model.graph);
  for (const node of walkNodes(model)) {
    for (const attribute of node.attribute) {
      yield* tensorsOf(attribute);
      for (const graph of graphsOf(attribute)) yield* initialisersOf(graph);
    }
  }
  for (const local of model.functions) for (const attribute of local.attributeProto) yield* tensorsOf(attribute);
}

/** Subgraphs held by one attribute. */
export function graphsOf(attribute: AttributeProto): readonly GraphProto[] {
  return attribute.g ? [attribute.g, ...attribute.graphs] : attribute.graphs;
}

/** These nodes and those of their subgraphs. */
export function* nodesWithin(nodes: readonly NodeProto[]): Generator<NodeProto> {
  for (const node of nodes) {
    yield node;
    for (const attribute of node.attribute) for (const graph of graphsOf(attribute)) yield* nodesWithin(graph.node);
  }
}

function* initialisersOf(graph: GraphProto): Generator<TensorProto> {
  yield* graph.initializer;
  for (const sparse of graph.sparseInitializer) {
    if (sparse.values) yield sparse.values;
    if (sparse.indices) yield sparse.indices;
  }
}

function* tensorsOf(attribute: AttributeProto): Generator<TensorProto> {
  if (attribute.t) yield attribute.t;
  yield* attribute.tensors;
  for (const sparse of attribute.sparseTensor
    ? [attribute.sparseTensor, ...attribute.sparseTensors]
    : attribute.sparseTensors) {
    if (sparse.values) yield sparse.values;
    if (sparse.indices) yield sparse.indices;
  }
}
