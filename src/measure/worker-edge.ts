import { writeFileSync } from 'node:fs';
import { describeThrown } from '../errors.ts';
import { createWorkerState, handle } from './worker-commands-edge.ts';
import { commandSchema } from './worker-protocol.ts';

const MESSAGE_LENGTH = 2000;

// Where memory runs out, the kernel takes the worker and not the job that judges it.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Other systems have no such file.
}

const state = createWorkerState();

process.on('disconnect', () => process.exit(0));
process.on('message', (message: { id: number; command: unknown }) => {
  void answer(message.id, message.command);
});

async function answer(id: number, command: unknown): Promise<void> {
  try {
    process.send?.({ id, result: await handle(state, commandSchema.parse(command)) });
  } catch (thrown) {
    process.send?.({ id, error: describeThrown(thrown).slice(0, MESSAGE_LENGTH) });
  }
}
