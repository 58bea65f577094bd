import { type Command, Option } from 'commander';
import {
  runBaselineAccept,
  runBaselineList,
  runBaselinePrune,
  runBaselineShow,
  runBaselineVerify,
} from './baseline-commands-edge.ts';
import { parseDuration } from './parse-options.ts';

/** Adds `baseline` and its commands to the program. */
export function addBaselineCommands(program: Command, finish: (command: Promise<number>) => Promise<void>): void {
  const baseline = program.command('baseline').description('the stored baselines: accepted measurements of each model');
  const command = (name: string, description: string) =>
    baseline
      .command(name)
      .description(description)
      .addOption(new Option('--store <kind>', 'which store (default: the config)').choices(['directory', 'branch']))
      .option('--branch <name>', "the store's branch (default: the config, else model-gate-baselines)")
      .option('--config <file>', 'gate config (default: .github/model-gate.yml)')
      .option('--json', 'print the result as JSON on stdout');
  command('list', 'every baseline in the store').action((options) => finish(runBaselineList(options)));
  command('show', "one model's baselines in full")
    .argument('<model>', 'id of the model')
    .action((model, options) => finish(runBaselineShow(model, options)));
  command('accept', 'store what the last run measured, so that later changes are compared with it')
    .option('--reason <text>', 'accept it whatever its verdict, as the start of an epoch')
    .option('--results <dir>', 'folder with the measurement files of the run (default: model-gate-results)')
    .action((options) => finish(runBaselineAccept(options)));
  command('prune', 'remove baselines nobody needs')
    .option('--older-than <duration>', 'those without a session since, as 180d', parseDuration)
    .option('--gone', 'those of models that no longer exist')
    .action((options) => finish(runBaselinePrune(options)));
  command('verify', 'check that every file can be read').action((options) => finish(runBaselineVerify(options)));
}
