// A process that locks the clocks of a card, says so, and then does nothing until it is ended.
import { lockClocks } from '../../src/measure/gpu-clocks-edge.ts';

const { refused } = await lockClocks({ uuid: 'GPU-1', mhz: 1200, env: process.env });
process.stdout.write(`${refused ?? 'held'}\n`);
process.stdin.resume();
