// Runs one model once in a process of its own: onnxruntime-node does not work inside jest. Job and result are JSON.
import { readFileSync } from 'node:fs';
import { InferenceSession } from 'onnxruntime-node';

const ARRAYS = {
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
};

function decode({ dtype, dims, base64, strings }) {
  if (strings) return { type: dtype, dims, location: 'cpu', data: strings };
  const bytes = Buffer.from(base64, 'base64');
  const data = new ARRAYS[dtype](new Uint8Array(bytes).buffer);
  return { type: dtype, dims, location: 'cpu', data };
}

function encode({ type, dims, data }) {
  if (type === 'string') return { dtype: type, dims, strings: data };
  return { dtype: type, dims, base64: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') };
}

const { model, feeds, optimized } = JSON.parse(readFileSync(0, 'utf8'));
try {
  const session = await InferenceSession.create(model, {
    intraOpNumThreads: 1,
    logSeverityLevel: 4,
    ...(optimized ? { optimizedModelFilePath: optimized } : {}),
  });
  const outputs = await session.run(
    Object.fromEntries(Object.entries(feeds).map(([name, feed]) => [name, decode(feed)])),
  );
  const encoded = Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, encode(output)]));
  const graph = optimized ? { optimized: readFileSync(optimized).toString('base64') } : {};
  process.stdout.write(JSON.stringify({ outputs: encoded, ...graph }));
} catch (error) {
  process.stdout.write(JSON.stringify({ error: String(error?.message ?? error) }));
}
