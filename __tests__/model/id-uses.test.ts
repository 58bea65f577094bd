import { describe, expect, it } from '@jest/globals';
import type { NodeProto } from 'onnx-buf';
import { readModel } from '../../src/model/model-facts.ts';
import { type Attributes, floats, graph, int64s, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';

const TABLES = [
  floats('t7', [7, 2], Array(14).fill(0)),
  floats('t5', [5, 2], Array(10).fill(0)),
  int64s('column', [0]),
  int64s('one', [1]),
];

function usesOf(nodes: readonly NodeProto[]) {
  const inputs = [valueInfo('ids', 'int64', ['batch', 4]), valueInfo('x', 'float32', [2])];
  return readModel(
    modelBytes(graph({ nodes, inputs, outputs: [valueInfo('y', 'float32')], initialisers: TABLES })),
    'm.onnx',
  ).idUses;
}

function gather(table: string, ids: string, attributes: Attributes = {}): NodeProto {
  return node('Gather', [table, ids], [`${table}_of_${ids}`], attributes);
}

describe('idUses', () => {
  it.each<[string, NodeProto[], unknown]>([
    ['a direct lookup', [gather('t7', 'ids')], { kind: 'table', rows: 7, table: 't7', rowBytes: 8 }],
    [
      'the smallest of several tables',
      [gather('t7', 'ids'), gather('t5', 'ids')],
      { kind: 'table', rows: 5, table: 't5', rowBytes: 8 },
    ],
    ['another axis', [gather('t7', 'ids', { axis: -1 })], { kind: 'table', rows: 2, table: 't7', rowBytes: 28 }],
    [
      'a column of the ids',
      [node('Gather', ['ids', 'column'], ['c'], { axis: 1 }), node('Squeeze', ['c'], ['s']), gather('t7', 's')],
      { kind: 'table', rows: 7, table: 't7', rowBytes: 8 },
    ],
    [
      'a quantised table',
      [node('DequantizeLinear', ['t7', 'scale'], ['d']), gather('d', 'ids')],
      { kind: 'table', rows: 7, table: 'd', rowBytes: 8 },
    ],
    ['shifted ids', [node('Add', ['ids', 'one'], ['s']), gather('t7', 's')], { kind: 'unknown' }],
    [
      'shifted ids beside plain ones',
      [gather('t7', 'ids'), node('Add', ['ids', 'one'], ['s']), gather('t7', 's')],
      { kind: 'unknown' },
    ],
    ['a computed table', [node('Relu', ['x'], ['r']), gather('r', 'ids')], { kind: 'unknown' }],
    [
      'a lookup in a branch',
      [node('If', ['c'], ['y'], { then_branch: graph({ nodes: [gather('t5', 'ids')], inputs: [], outputs: [] }) })],
      { kind: 'table', rows: 5, table: 't5', rowBytes: 8 },
    ],
    ['no lookup at all', [node('Cast', ['ids'], ['y'], { to: 1 })], undefined],
    [
      'operators named like parts of an object',
      [node('constructor', ['ids'], ['c']), node('__proto__', ['c'], ['y'])],
      undefined,
    ],
    ['only the data of a lookup', [node('Gather', ['ids', 'column'], ['y'])], undefined],
  ])('finds %s', (_, nodes, use) => {
    expect(usesOf(nodes)['ids']).toEqual(use);
  });
});
