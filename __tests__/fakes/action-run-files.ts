import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files through which a step talks with its runner, by the name of the variable that leads to each. */
const FILE_COMMANDS = ['GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY', 'GITHUB_STATE', 'GITHUB_ENV', 'GITHUB_PATH'] as const;
type FileCommand = (typeof FILE_COMMANDS)[number];

export interface RunnerFiles {
  readonly environment: Readonly<
    Record<FileCommand | 'GITHUB_EVENT_PATH' | 'RUNNER_TEMP' | 'RUNNER_TOOL_CACHE' | 'HOME', string>
  >;
  readonly read: (name: FileCommand) => string;
}

/** A fresh set below `folder`, as a runner makes for each step. */
export function createRunnerFiles(folder: string, payload: unknown): RunnerFiles {
  const root = mkdtempSync(join(folder, 'runner-'));
  const made = (name: string) => {
    mkdirSync(join(root, name));
    return join(root, name);
  };
  const places = { RUNNER_TEMP: made('_temp'), RUNNER_TOOL_CACHE: made('_tool'), HOME: made('home') };
  const files = Object.fromEntries(FILE_COMMANDS.map((name) => [name, join(root, name.toLowerCase())]));
  for (const path of Object.values(files)) writeFileSync(path, '');
  const eventPath = join(root, 'event.json');
  writeFileSync(eventPath, JSON.stringify(payload));
  return {
    environment: { ...(files as Record<FileCommand, string>), ...places, GITHUB_EVENT_PATH: eventPath },
    read: (name) => readFileSync(files[name] ?? '', 'utf8'),
  };
}

/** Values that a step set through a file command: `name<<delimiter`, lines, delimiter. */
export function parseFileCommand(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, name, delimiter] = /^([^=<]+)<<(.+)$/.exec(lines[at] ?? '') ?? [];
    if (name === undefined || delimiter === undefined) {
      if (lines[at] !== '') throw new Error(`no file command: ${lines[at]}`);
      continue;
    }
    const end = lines.indexOf(delimiter, at);
    values[name] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return values;
}

/** Lines a runner takes for commands: `::name` at the start of a line, `##[name` anywhere in it. */
export function commandsIn(log: string): string[] {
  return log.split(/\r\n|\r|\n/).filter((line) => /^\s*::/.test(line) || line.includes('##['));
}
