import { Command, CommanderError, Option } from 'commander';
import { addBaselineCommands } from './cli/baseline-program-edge.ts';
import { runCompareCommand } from './cli/compare-command-edge.ts';
import { runDemoCommand } from './cli/demo-command-edge.ts';
import { runDoctorCommand } from './cli/doctor-command-edge.ts';
import { runMeasureCommand } from './cli/measure-command-edge.ts';
import { parseBatches, parseCount } from './cli/parse-options.ts';
import { runRunCommand } from './cli/run-command-edge.ts';
import { runJudgeCommand, runPlanCommand } from './cli/shard-commands-edge.ts';
import { tell } from './cli/terminal-edge.ts';
import { CancelledError, describeThrown, EXIT_CANCELLED, RefusedError } from './errors.ts';
import { terminalText } from './report/escape.ts';
import { exitCodeOf } from './verdict/verdict.ts';
import { VERSION } from './version.ts';

const program = new Command('model-gate')
  .description('Benchmarks the models a change touches and compares them statistically with what is accepted.')
  .version(VERSION)
  .showHelpAfterError('(add --help for what it takes)')
  .exitOverride();

const json = new Option('--json', 'print the verdict as JSON on stdout');
const out = new Option('--out <dir>', 'write the result files into this folder');

program
  .command('compare')
  .description('judge measurement files')
  .requiredOption('--base <file...>', "measurement files of base's arm")
  .requiredOption('--head <file...>', "measurement files of head's arm")
  .option('--config <file>', 'gate config with margins, limits and waivers')
  .option('--markdown <file>', 'write the report as Markdown')
  .addOption(json)
  .addOption(out)
  .action((options) => finish(runCompareCommand(options)));

program
  .command('run', { isDefault: false })
  .description('gate the repository this stands in: its changed models against their base')
  .option(
    '--base <ref>',
    "commit, branch or tag to compare with (default: merge base with the remote's default branch)",
  )
  .option('--config <file>', 'gate config (default: .github/model-gate.yml)')
  .option('--models <glob...>', 'only these models, by id or path')
  .option('--launch', 'judge all models, changed or not')
  .option('--fail-fast', 'stop starting cases after the first regression')
  .option('--markdown <file>', 'write the report as Markdown')
  .addOption(json)
  .addOption(out)
  .action((options) => finish(runRunCommand(options)));

program
  .command('measure')
  .description('measure one model, or two against each other; exit code 0 whatever the difference')
  .argument('<model>', 'an ONNX file')
  .option('--against <model>', 'the ONNX file to compare with, as base')
  .option('--base-runtime <dir>', "folder of another onnxruntime-node for base's arm")
  .option('--base-options <file>', "YAML with session options for base's arm")
  .option('--provider <name>', 'execution provider (default: cuda where an NVIDIA GPU is, else cpu)')
  .option('--batch <n,...>', 'batch sizes', parseBatches)
  .option('--restarts <n>', 'measure exactly this many restarts', parseCount('--restarts'))
  .option('--config <file>', "gate config; the model's section says how it is fed (default: .github/model-gate.yml)")
  .addOption(json)
  .addOption(out)
  .action((model, options) => finish(runMeasureCommand(model, options)));

program
  .command('doctor')
  .description('what this machine can be trusted with, and what to mend')
  .argument('[model]', 'an ONNX file to measure against its own copy (default: a sample ranker)')
  .option('--provider <name>', 'execution provider (default: cuda where an NVIDIA GPU is, else cpu)')
  .option('--batch <n>', 'batch size', parseBatches)
  .option('--restarts <n>', 'restarts to measure (default: 8)', parseCount('--restarts'))
  .option('--config <file>', "gate config; the model's section says how it is fed")
  .option('--json', 'print the findings as JSON on stdout')
  .action((model, options) => finish(runDoctorCommand(model, options)));

program
  .command('demo')
  .description('gate a made-up change: one model slower, one whose bytes changed but not its work')
  .option('--markdown <file>', 'write the report as Markdown')
  .addOption(json)
  .addOption(out)
  .action((options) => finish(runDemoCommand(options)));

program
  .command('plan')
  .description('spread the changed models over shards; prints the plan, or with --out the matrix')
  .option(
    '--shards <n>',
    'how many (default: as many as keep one within half of the time budget)',
    parseCount('--shards'),
  )
  .option('--base <ref>', 'commit, branch or tag to compare with')
  .option('--config <file>', 'gate config (default: .github/model-gate.yml)')
  .option('--launch', 'plan for all models, changed or not')
  .addOption(out)
  .action((options) => finish(runPlanCommand(options)));

program
  .command('judge')
  .description('one verdict from the measurement files of all shards')
  .argument('<files...>', 'measurement files of both arms')
  .requiredOption('--plan <file>', 'the plan the shards were measured by')
  .option('--config <file>', 'gate config with margins, limits and waivers')
  .option('--markdown <file>', 'write the report as Markdown')
  .addOption(json)
  .addOption(out)
  .action((files, options) => finish(runJudgeCommand(files, options)));

addBaselineCommands(program, finish);

async function finish(command: Promise<number>): Promise<void> {
  process.exitCode = await command;
}

/** Everything thrown, of any type, ends here: one line on stderr and an exit code that never means "fail". */
async function main(): Promise<void> {
  try {
    await program.parseAsync();
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      process.exitCode = thrown.exitCode === 0 ? 0 : exitCodeOf('refused');
      return;
    }
    if (thrown instanceof CancelledError) {
      tell('cancelled: no verdict');
      process.exitCode = EXIT_CANCELLED;
      return;
    }
    const isRefused = thrown instanceof RefusedError;
    tell(`${isRefused ? 'refused' : 'no verdict'}: ${terminalText(describeThrown(thrown))}`);
    process.exitCode = exitCodeOf(isRefused ? 'refused' : 'no-verdict');
  }
}

/** Node ends an unhandled fault with exit code 1, which means "fail" here: a lost answer is no verdict instead. */
function endWithoutVerdict(thrown: unknown): never {
  tell(`no verdict: ${terminalText(describeThrown(thrown))}`);
  process.exit(exitCodeOf('no-verdict'));
}

process.on('uncaughtException', endWithoutVerdict);
for (const stream of [process.stdout, process.stderr]) {
  // A reader that has seen enough, as `| head -1`, is no fault.
  stream.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || endWithoutVerdict(error));
}
await main();
