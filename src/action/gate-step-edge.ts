import { logText, writeOutputs } from '../publish/step-edge.ts';
import { renderTerminal } from '../report/terminal.ts';
import { type GateResult, runGate } from '../run-gate.ts';
import { gateRequestOf, type Job } from './job-edge.ts';

/** `gate`: judges what the event's change touches and answers; returns the step's exit code. */
export async function runGateStep(job: Job): Promise<number> {
  return concludeGate(await runGate(gateRequestOf(job), job.edges));
}

/** Prints the verdict, sets the outputs, and returns the step's exit code. */
export function concludeGate(result: GateResult): number {
  logText(renderTerminal(result.verdict));
  writeOutputs({
    outcome: result.verdict.outcome,
    'verdict-file': result.files['verdict.json'] ?? '',
    'report-file': result.files['report.md'] ?? '',
    'comment-url': result.commentUrl ?? '',
    'gated-models': result.measuredModels,
  });
  return result.conclusion.exitCode;
}
