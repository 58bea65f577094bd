import { setFailed } from '@actions/core';
import { logText, writeOutputs } from '../publish/step-edge.ts';
import { terminalText } from '../report/escape.ts';
import { renderTerminal } from '../report/terminal.ts';
import { type GateResult, runGate } from '../run-gate.ts';
import { exitCodeOf } from '../verdict/verdict.ts';
import { gateRequestOf, type Job } from './job-edge.ts';

/** `gate`: judges what the event's change touches and answers; returns the step's exit code. */
export async function runGateStep(job: Job): Promise<number> {
  return concludeGate(await runGate(gateRequestOf(job), job.edges));
}

/** Prints the verdict, sets the outputs, and returns the step's exit code; a session that could not be stored fails the step. */
export function concludeGate(result: GateResult): number {
  logText(renderTerminal(result.verdict));
  writeOutputs({
    outcome: result.verdict.outcome,
    'verdict-file': result.files['verdict.json'] ?? '',
    'report-file': result.files['report.md'] ?? '',
    'comment-url': result.commentUrl ?? '',
    'gated-models': result.measuredModels,
  });
  const { exitCode } = result.conclusion;
  if (!('fault' in result.stored)) return exitCode;
  setFailed(terminalText(result.stored.fault));
  return exitCode === 0 ? exitCodeOf('no-verdict') : exitCode;
}
