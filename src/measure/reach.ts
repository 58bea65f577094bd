import { type Effort, reachableMetrics } from './effort.ts';
import type { Mode } from './measurer.ts';

const TIMED = ['latency.p50', 'latency.p90', 'latency.p95', 'latency.p99', 'latency.mean', 'throughput', 'floor.share'];
const COLD = ['load.time', 'first.inference'];
const HOST_MEMORY = ['memory.host.peak'];
const GPU_MEMORY = ['memory.gpu.peak', 'memory.gpu.weights'];

/** Which metrics of a case its restarts give, and the others with the reason. */
export interface Reach {
  readonly metrics: readonly string[];
  readonly unreachable: readonly { readonly metric: string; readonly reason: string }[];
}

/** Metrics the effort and the mode reach; fixed before anything is judged. */
export function reachOf(
  effort: Pick<Effort, 'keptIterations'>,
  mode: Mode,
  device: 'host' | 'gpu',
  memory: 'read-here' | 'read-in-largest-batch',
): Reach {
  const timed = reachableMetrics(effort, TIMED);
  const memoryMetrics = [...HOST_MEMORY, ...(device === 'gpu' ? GPU_MEMORY : [])];
  if (mode !== 'inproc' && memory === 'read-here')
    return { metrics: [...timed.metrics, ...COLD, ...memoryMetrics], unreachable: timed.unreachable };
  if (mode !== 'inproc') return { metrics: [...timed.metrics, ...COLD], unreachable: timed.unreachable };
  const processMetrics = [...COLD, ...memoryMetrics];
  const reason = 'both arms share one process, where memory and loading cannot be told apart';
  return {
    metrics: timed.metrics,
    unreachable: [...timed.unreachable, ...processMetrics.map((metric) => ({ metric, reason }))],
  };
}
