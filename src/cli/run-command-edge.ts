import { creepRuleFor } from '../compare/creep-policy.ts';
import { outFolderOf } from '../edges-edge.ts';
import { runGate } from '../run-gate.ts';
import { withLocalJob } from './local-job-edge.ts';
import { type ShowOptions, showVerdict } from './show-verdict-edge.ts';

export interface RunOptions extends ShowOptions {
  readonly base?: string;
  readonly config?: string;
  readonly models?: readonly string[];
  readonly failFast?: boolean;
  readonly launch?: boolean;
}

/** `run`: the whole gate on the repository it stands in; returns the exit code of the outcome. */
export async function runRunCommand(options: RunOptions): Promise<number> {
  const place = { folder: process.cwd(), outFolder: outFolderOf(options.out, process.env) };
  const verdict = await withLocalJob({ ...options, ...place }, async ({ edges, trigger }) => {
    const request = {
      launch: options.launch ?? false,
      creepRule: creepRuleFor(trigger),
      earlier: 'ignore',
      failFast: options.failFast ? 'stop-after-first-failure' : 'judge-all',
      policy: { enforce: true, 'on-no-verdict': 'fail' },
      report: {},
    } as const;
    return (await runGate(request, edges)).verdict;
  });
  return showVerdict(verdict, { json: options.json, markdown: options.markdown });
}
