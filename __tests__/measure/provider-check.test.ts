import { describe, expect, it } from '@jest/globals';
import type { SessionOptions } from '../../src/inputs/gate-config.ts';
import type { GpuAbsence } from '../../src/measure/gpu-absence.ts';
import { chooseProvider, providerNotes, refuseDriver, refuseProvider } from '../../src/measure/provider-check.ts';
import { explainProviderFailure } from '../../src/measure/provider-failure.ts';

const OFFERED = ['cpu', 'webgpu', 'cuda', 'tensorrt'];

describe('provider and options', () => {
  it.each<[string, SessionOptions]>([
    ['cpu', {}],
    ['cuda', { 'device-id': 1 }],
    ['tensorrt', { config: { 'session.disable_prepacking': '1' } }],
    ['webgpu', { threads: 2 }],
  ])('%s with %j is taken', (provider, session) => {
    expect(refuseProvider(provider, session, OFFERED)).toBeNull();
  });

  it.each<[string, SessionOptions, string]>([
    [
      'CUDAExecutionProvider',
      {},
      'provider "CUDAExecutionProvider" is not one that onnxruntime-node has: write "cuda"',
    ],
    ['CPU', {}, 'provider "CPU" is not one that onnxruntime-node has: write "cpu"'],
    ['gpu', {}, 'provider "gpu" is not one that onnxruntime-node has: write "cuda"'],
    ['dml', {}, 'provider "dml" is not one that onnxruntime-node has on this machine: use cpu, webgpu, cuda, tensorrt'],
    ['', {}, 'provider "" is not one that onnxruntime-node has on this machine: use cpu, webgpu, cuda, tensorrt'],
    ['cpu', { 'device-id': 0 }, 'session.device-id does nothing with provider cpu: remove it, or use cuda or tensorrt'],
    [
      'webgpu',
      { 'device-id': 0 },
      'session.device-id does nothing with provider webgpu: remove it, or use cuda or tensorrt',
    ],
    [
      'cuda',
      { config: { gpu_mem_limit: '1' } },
      'session.config key "gpu_mem_limit" is none of onnxruntime\'s (session.…, optimization.…, ep.…, mlas.…, memory.…): the engine would ignore it silently',
    ],
  ])('%s with %j is refused in words', (provider, session, reason) => {
    expect(refuseProvider(provider, session, OFFERED)).toBe(reason);
  });

  it('says that TensorRT is experimental, and that an unwatched GPU is unwatched', () => {
    expect(providerNotes('tensorrt', 'watched').join()).toContain('FP32');
    expect(providerNotes('webgpu', 'blind').join()).toContain('not checked');
    expect(providerNotes('cpu', 'blind')).toEqual([]);
  });
});

describe('choice of the provider', () => {
  const absent = (kind: GpuAbsence['kind']): GpuAbsence => ({ kind, reason: `because of ${kind}` });

  it.each<[string | null, GpuAbsence | null, object]>([
    [null, null, { provider: 'cuda' }],
    [null, absent('no-tool'), { provider: 'cpu', note: 'provider cpu: because of no-tool' }],
    [null, absent('no-device'), { provider: 'cpu' }],
    ['webgpu', absent('no-tool'), { provider: 'webgpu', note: null }],
    ['cpu', null, { provider: 'cpu', note: null }],
    ['cuda', absent('no-device'), { noVerdict: 'provider cuda needs an NVIDIA GPU as device 0: because of no-device' }],
    [
      'tensorrt',
      absent('no-tool'),
      { noVerdict: 'provider tensorrt needs an NVIDIA GPU as device 0: because of no-tool' },
    ],
  ])('asked %j with %j', (asked, absence, choice) => {
    expect(chooseProvider(asked, 0, absence)).toMatchObject(choice);
  });

  it.each<GpuAbsence['kind']>(['hang', 'lost', 'no-driver', 'refused', 'failed', 'unusable'])(
    'a card that is there but fails (%s) never becomes a silent CPU run',
    (kind) => {
      expect(chooseProvider(null, 0, absent(kind))).toEqual({
        noVerdict: `the NVIDIA GPU of this machine cannot be used: because of ${kind} (or set providers: [cpu])`,
      });
    },
  );
});

describe('driver against CUDA', () => {
  it.each([
    [580, 13, true],
    [575, 13, false],
    [535, 12, true],
    [470, 12, false],
    [null, 13, true],
    [300, 99, true],
  ])('driver %s runs CUDA %s: %s', (driver, cuda, runs) => {
    expect(refuseDriver(driver, cuda) === null).toBe(runs);
  });
});

describe('a provider that cannot be created', () => {
  const failed = (provider: string, stderr: string, message = 'Failed to load shared library') =>
    explainProviderFailure({ provider, message, stderr, runtimeDir: '/rt' });
  const loader = (library: string, error: string) =>
    `[E:onnxruntime:onnxruntime-node, provider_bridge_ort.cc:2146 Create] [ONNXRuntimeError] : 1 : FAIL : Failed to load library /rt/bin/napi-v6/linux/x64/${library} with error: ${error}`;

  it.each([
    [
      'cuda',
      'libonnxruntime_providers_cuda.so',
      'libcublasLt.so.13: cannot open shared object file: No such file or directory',
      /libcublasLt\.so\.13 is missing: install CUDA 13/,
    ],
    [
      'cuda',
      'libonnxruntime_providers_cuda.so',
      'libcudnn.so.9: cannot open shared object file',
      /libcudnn\.so\.9 is missing: install cuDNN 9/,
    ],
    [
      'cuda',
      'libonnxruntime_providers_cuda.so',
      'libcuda.so.1: cannot open shared object file',
      /libcuda\.so\.1 is missing: it is the NVIDIA driver/,
    ],
    [
      'tensorrt',
      'libonnxruntime_providers_tensorrt.so',
      'libnvinfer.so.10: cannot open shared object file',
      /libnvinfer\.so\.10 is missing: install TensorRT 10/,
    ],
    [
      'cuda',
      'libonnxruntime_providers_cuda.so',
      'libfoo.so.2: cannot open shared object file',
      /libfoo\.so\.2 is missing: install the package that brings it/,
    ],
    [
      'cuda',
      'libonnxruntime_providers_shared.so',
      '',
      /libonnxruntime_providers_shared\.so is not beside the engine: set install-cuda: true, or run "node \/rt\/script\/install\.js --onnxruntime-node-install"/,
    ],
    [
      'cuda',
      'libonnxruntime_providers_cuda.so',
      '/rt/libonnxruntime_providers_cuda.so: cannot open shared object file',
      /is not beside the engine/,
    ],
  ])('%s: %s with error "%s"', (provider, library, error, reason) => {
    expect(failed(provider, loader(library, error))).toMatch(reason);
  });

  it.each([
    [
      'cuda',
      'CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version ; GPU=0',
      /driver is too old for CUDA 13/,
    ],
    ['cuda', 'CUDA failure 100: no CUDA-capable device is detected ; GPU=32767', /CUDA sees no device/],
    ['cuda', 'CUDA failure 209: no kernel image is available for execution on the device', /no code for this GPU/],
    [
      'webgpu',
      'x.cc:136 f() adapter_result.status == Success was false. Failed to get a WebGPU adapter: No supported adapters',
      /no Vulkan device/,
    ],
    ['cuda', 'a.cc:1 g() ok was false. Something new', /: Something new$/],
    ['cuda', '', /the engine gave no reason$/],
  ])('%s: "%s"', (provider, message, reason) => {
    const line = failed(provider, '', message);
    expect(line).toMatch(reason);
    expect(line).not.toContain('\n');
  });
});
