import { readFileSync } from 'node:fs';

/** Peak resident bytes of this process so far: VmHWM on Linux, the same figure by getrusage elsewhere. */
export function readPeakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const status = readFileSync('/proc/self/status', 'latin1');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
