import { describe, expect, it } from '@jest/globals';
import { plainValues } from '../../src/measure/plain-values.ts';
import { arenaPeakBytes, type ProfiledKernel, readProfileLine } from '../../src/measure/profile.ts';
import { compareCoverage, timeOutside } from '../../src/measure/provider-coverage.ts';
import type { CaseGroup } from '../../src/plan/plan.ts';

const line = (name: string, more = '') =>
  `{"cat" : "Node","pid" :1,"tid" :1,"dur" :50,"ts" :11,"ph" : "X","name" :"${name}_kernel_time","args" : {"mem_arena_held" : "4194304","thread_scheduling_stats" : "","activation_size" : "2048","output_size" : "70000","parameter_size" : "12","mem_in_use_peak" : "3147776","op_name" : "MatMul","provider" : "CPUExecutionProvider"${more}}},`;
const matMul = {
  operator: 'MatMul',
  provider: 'CPUExecutionProvider',
  durationUs: 50,
  largestBytes: 70000,
  arenaPeakBytes: 3147776,
};

describe('a profile line', () => {
  it.each([
    ['of a kernel', line('mm0'), matMul],
    ['that is the last', line('mm0').replace(/,$/, ''), matMul],
    ['of a node whose name breaks the JSON', line('a"b\\c'), matMul],
    ['whose name pretends to be fields', line('x","op_name" : "Fake","provider" : "Liar'), matMul],
    ['of the session', '{"cat" : "Session","dur" :3115,"ph" : "X","name" :"model_run","args" : {}},', null],
    ['of the array', '[', null],
    ['cut in the middle', '{"cat" : "Node","name" :"mm_kernel_time","args" : {"op_na', null],
  ])('%s', (_, text, kernel) => {
    expect(readProfileLine(text)).toEqual(kernel);
  });

  it('without memory figures has no arena', () => {
    const kernel = readProfileLine(line('mm').replace(/"mem_in_use_peak" : "\d+",/, ''));
    expect(kernel?.arenaPeakBytes).toBeNull();
    expect(arenaPeakBytes(kernel ? [kernel] : [])).toBeNull();
  });
});

const CUDA = 'CUDAExecutionProvider';
const CPU = 'CPUExecutionProvider';
const kernel = (operator: string, provider: string, largestBytes = 1e6): ProfiledKernel => ({
  operator,
  provider,
  durationUs: 10,
  largestBytes,
  arenaPeakBytes: null,
});

describe('provider coverage', () => {
  const base = [kernel('Conv', CUDA), kernel('Relu', CUDA), kernel('Shape', CPU, 64), kernel('TopK', CPU)];
  const types = 5;
  it.each([
    ['the same operators', base, []],
    ['more small shape arithmetic on the CPU', [...base, kernel('Gather', CPU, 128)], []],
    ['a large operator newly on the CPU', [...base, kernel('NonMaxSuppression', CPU)], ['NonMaxSuppression']],
    ['a copy node', [...base, kernel('MemcpyToHost', CUDA, 10)], ['MemcpyToHost']],
    ['an operator that moved', [kernel('Conv', CPU), kernel('Relu', CUDA)], ['Conv']],
  ])('with %s', (_, head, newlyOutside) => {
    const coverage = compareCoverage('cuda', base, head);
    expect(coverage.newlyOutside).toEqual(newlyOutside);
    const isLower = coverage.head < (coverage.base ?? 0);
    expect(isLower).toBe(newlyOutside.length > 0);
  });

  it('rises where an operator came back', () => {
    const coverage = compareCoverage('cuda', base, [kernel('Conv', CUDA), kernel('TopK', CUDA)]);
    expect(coverage.head).toBe(1);
    expect(coverage.base).toBeLessThan(1);
  });

  it('of a new model counts its own operators', () => {
    expect(compareCoverage('cuda', null, base)).toMatchObject({ base: null, head: 1 - 1 / (types - 1) });
  });

  it('counts CUDA as the asked device of TensorRT', () => {
    expect(compareCoverage('tensorrt', null, [kernel('Conv', CUDA)]).head).toBe(1);
  });

  it('tells the share of time outside', () => {
    expect(timeOutside('cuda', base)).toBe(0.5);
    expect(timeOutside('cuda', [])).toBe(0);
  });
});

describe('plain values', () => {
  const arm = { bytes: 100 };
  const group = { provider: 'cpu', base: arm, head: { bytes: 120 } } as unknown as CaseGroup;
  const outputs = [{ name: 'y', dtype: 'float32', dims: [1], elements: [1] }];
  const kernels = [{ ...kernel('MatMul', CPU), arenaPeakBytes: 4096 }];

  it('hold size, arena and coverage of each arm, and differences in head', () => {
    const { base, head, fault } = plainValues(group, { outputs, kernels }, { outputs, kernels });
    expect(base).toEqual({ 'model.size': 100, 'memory.arena.peak': 4096, 'ep.coverage': 1 });
    expect(head).toEqual({
      'model.size': 120,
      'memory.arena.peak': 4096,
      'ep.coverage': 1,
      'output.y.max-abs': 0,
      'output.y.max-rel': 0,
    });
    expect(fault).toBeNull();
  });

  it('leave out what could not be profiled, and say so', () => {
    const { head, notes } = plainValues(group, { outputs, kernels: null }, { outputs, kernels });
    expect(Object.keys(head)).not.toContain('memory.arena.peak');
    expect(notes).toEqual(['the engine could not profile this model: no arena memory, no provider coverage']);
  });
});
