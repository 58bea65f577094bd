import { spawn } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

/** How npm is started: a program and its first arguments. */
export type NpmCommand = readonly [program: string, ...args: string[]];

/** Beside the running Node first: an npm on PATH may belong to another Node. Null where there is none. */
export async function findNpm(execPath: string, path: string): Promise<NpmCommand | null> {
  const bin = dirname(execPath);
  const beside = [join(bin, '..', 'lib'), bin].map((folder) =>
    join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  );
  for (const script of beside) {
    const file = await realpath(script).catch(() => null);
    if (file !== null) return [execPath, file];
  }
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    const file = await realpath(join(folder, 'npm')).catch(() => null);
    if (file !== null) return file.endsWith('.js') ? [execPath, file] : [file];
  }
  return null;
}

/** What a program printed, and how it ended: null is a kill after the limit. */
export interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

/** Runs a program without a shell and keeps what it prints. */
export function run(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv, limitMs: number): Promise<Ended> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed = (printed + chunk).slice(-65_536);
      });
    }
    child.once('error', (error) => resolve({ code: null, printed: error.message }));
    child.once('close', (code) => resolve({ code, printed }));
  });
}
