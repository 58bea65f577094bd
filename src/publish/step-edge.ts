import { appendFile, stat } from 'node:fs/promises';
import { error, info, notice, setOutput, setSecret, warning } from '@actions/core';
import { terminalText } from '../report/escape.ts';
import type { Annotation } from './publisher.ts';
import { fitSummary } from './step-limits.ts';

/** Outputs of the step; absent ones stay unset. */
export interface StepOutputs {
  readonly outcome?: string;
  readonly 'verdict-file'?: string;
  readonly 'report-file'?: string;
  readonly 'comment-url'?: string;
  readonly matrix?: string;
  readonly 'has-work'?: boolean;
  readonly 'gated-models'?: readonly string[];
}

/** Sets the step's outputs; lists become JSON. */
export function writeOutputs(outputs: StepOutputs): void {
  for (const [name, value] of Object.entries(outputs)) if (value !== undefined) setOutput(name, value);
}

/** Appends to the step's summary, shortened so that the whole file stays under 1 MiB. */
export async function appendSummary(markdown: string, summaryFile: string | undefined): Promise<void> {
  if (!summaryFile) return;
  const usedBytes = await stat(summaryFile).then(
    ({ size }) => size,
    () => 0,
  );
  await appendFile(summaryFile, `${fitSummary(markdown, usedBytes)}\n`);
}

/** Shows an annotation beside the log: one line, shortened, escaped by core. */
export function annotate({ level, title, message }: Annotation): void {
  const show = { error, warning, notice }[level];
  show(terminalText(message, 1000), { title: terminalText(title, 200) });
}

/** Prints text of any origin to the log; none of it can be a workflow command. */
export function logText(text: string): void {
  info(
    text
      .split(/\r\n?|\n/)
      .map((line) => terminalText(line))
      .join('\n'),
  );
}

/** Hides a token wherever the log would show it. */
export function maskToken(token: string): void {
  if (token !== '') setSecret(token);
}
