// A process that takes a lock, says so, and holds it until its input ends. Arguments: folder, key, limit in ms.
import { acquireLock } from '../../src/measure/lock-edge.ts';

const [dir = '', key = '', limitMs = '1000'] = process.argv.slice(2);
const lock = await acquireLock({
  dir,
  key,
  limitMs: Number(limitMs),
  onWait: (message) => process.stdout.write(`${message}\n`),
});
process.stdout.write(`${lock.caveat ?? 'held'}\n`);
process.stdin.resume().once('end', () => void lock.release());
