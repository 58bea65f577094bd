import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { readCgroupLimits } from './cgroup-edge.ts';
import { type CpuGrant, parseCpuList } from './threads.ts';

/** What this process may use of the machine's processors. */
export function readCpuGrant(): CpuGrant {
  const status = read('/proc/self/status') ?? '';
  const listed = parseCpuList(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '');
  const allowed = listed.length > 0 ? listed : Array.from({ length: availableParallelism() }, (_, cpu) => cpu);
  const siblings = allowed.map((cpu) => {
    const text = read(`/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`);
    return [cpu, text === null ? [cpu] : parseCpuList(text)] as const;
  });
  return { allowed, siblings: Object.fromEntries(siblings), quotaCpus: readCgroupLimits().cpus };
}

/** Whether `taskset` may pin a process to these processors here. */
export function canPin(cores: readonly number[]): boolean {
  return spawnSync('taskset', ['-c', cores.join(','), 'true'], { stdio: 'ignore', timeout: 5000 }).status === 0;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}
