import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { renderComment } from '../report/comment.ts';
import type { ReportOptions } from '../report/report-options.ts';
import { renderTerminal } from '../report/terminal.ts';
import { exitCodeOf, type Verdict } from '../verdict/verdict.ts';
import { verdictToJson } from '../verdict/verdict-json.ts';
import { print } from './terminal-edge.ts';

/** How a command shows its verdict. */
export interface ShowOptions {
  /** The verdict as JSON on stdout instead of text. */
  readonly json?: boolean | undefined;
  /** A file for the Markdown report. */
  readonly markdown?: string | undefined;
  /** A folder for `verdict.json` and `report.md`. */
  readonly out?: string | undefined;
}

/** Prints a verdict, writes the asked files, and returns the exit code of its outcome. */
export async function showVerdict(verdict: Verdict, options: ShowOptions, report: ReportOptions = {}): Promise<number> {
  const json = verdictToJson(verdict);
  if (options.markdown !== undefined) await writeWhole(options.markdown, renderComment(verdict, report));
  if (options.out !== undefined)
    await saveFiles(options.out, { 'verdict.json': json, 'report.md': renderComment(verdict, report) });
  print(options.json ? json : renderTerminal(verdict, report, screenOf(process.stdout)));
  return exitCodeOf(verdict.outcome);
}

/** Width and colours of an output stream; a pipe is wide and plain. */
export function screenOf(stream: NodeJS.WriteStream) {
  const colour = stream.isTTY && !process.env['NO_COLOR'] ? ('ansi' as const) : ('none' as const);
  return { width: stream.isTTY ? stream.columns : 120, colour };
}

/** Writes each file whole or not at all; returns their absolute paths by name. */
export async function saveFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const paths: Record<string, string> = {};
  for (const [name, text] of Object.entries(files)) {
    paths[name] = resolve(folder, name);
    await writeWhole(join(folder, name), text);
  }
  return paths;
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  try {
    await writeFile(partial, text);
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}
