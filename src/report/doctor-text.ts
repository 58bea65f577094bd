import { CLASS_FACTS } from '../baseline/environment-class.ts';
import { type DoctorGpu, type DoctorReport, type DoctorTrial, isFault } from './doctor-report.ts';
import { NAME_LENGTH, terminalText } from './escape.ts';
import { plural } from './headline.ts';
import { formatChange, formatQuantity, formatShare } from './number-format.ts';

const LABEL_WIDTH = 12;
const ROW_LABEL_WIDTH = 18;

/** The report for people: what the machine is, what it can be trusted with, and what to mend; ends with a line break. */
export function doctorText(report: DoctorReport): string {
  const lines = [
    `Model Gate ${report.version}: what this machine can be trusted with`,
    '',
    labelled('machine', machineText(report)),
    labelled('class', classText(report)),
    ...several('baselines', baselineTexts(report)),
    labelled('engine', engineText(report)),
    ...several('providers', providerTexts(report)),
    ...several('GPU', isFault(report.gpu) ? [`none: ${report.gpu.fault}`] : gpuTexts(report.gpu)),
    '',
    ...(isFault(report.trial) ? [terminalText(`No trial: ${report.trial.fault}`)] : trialTexts(report.trial)),
    '',
    ...adviceTexts(report.advice),
  ];
  return `${lines.join('\n')}\n`;
}

function labelled(label: string, text: string): string {
  return `${label.padEnd(LABEL_WIDTH)} ${terminalText(text)}`;
}

function several(label: string, texts: readonly string[]): string[] {
  return texts.map((text, i) => labelled(i === 0 ? label : '', text));
}

function machineText({ environment: { facts }, threads, pinned }: DoctorReport): string {
  const quota = facts['cpu.quota'];
  const governor = facts['cpu.governor'];
  return [
    `${facts['cpu.model']}, ${plural(Number(facts['cpu.granted'] ?? 1), 'processor')} granted`,
    typeof quota === 'number' ? `quota ${quota}` : 'no quota',
    `${plural(threads, 'thread')} a session${pinned === null ? '' : `, pinned to ${pinned.join(',')}`}`,
    ...(typeof governor === 'string' ? [`governor ${governor}`] : []),
    `load ${facts['cpu.loadAverage']}`,
  ].join(', ');
}

function classText({ environment }: DoctorReport): string {
  const known = CLASS_FACTS.filter((name) => (environment.facts[name] ?? null) !== null);
  return `${environment.class} (${known.map((name) => `${name} ${environment.facts[name]}`).join(', ')})`;
}

function baselineTexts({ baselines }: DoctorReport): string[] {
  const own = baselines.filter(({ isOfThisClass }) => isOfThisClass);
  const others = baselines.length - own.length;
  const elsewhere = others === 0 ? '' : `; ${others} of other classes`;
  if (own.length === 0) return [`none of this class in baselines/${elsewhere}`];
  return own.map(
    ({ model, sessions, newest, fault }) =>
      `${name(model)}: ${fault ?? `${plural(sessions, 'session')}, newest ${newest?.slice(0, 10) ?? 'unknown'}`}${elsewhere}`,
  );
}

function engineText({ engine }: DoctorReport): string {
  if (isFault(engine)) return `none: ${engine.fault}`;
  return `onnxruntime-node ${engine.version} from ${engine.source} (${engine.dir}), digest ${engine.digest.slice(0, 12)}`;
}

function providerTexts({ providers }: DoctorReport): string[] {
  if (providers.length === 0) return ['none'];
  return providers.map(({ name: provider, fault }) =>
    fault === null
      ? `✓ ${name(provider)}`
      : `✗ ${name(provider)}: ${fault.replace(/^provider \S+ (?:cannot be created: )?/, '')}`,
  );
}

function gpuTexts(gpu: DoctorGpu): string[] {
  const bytes = (value: number | null) => formatQuantity(value, 'B');
  const processes = gpu.processes === null ? 'the list is refused' : `compute processes: ${gpu.processes.length}`;
  const seen = [...new Set(gpu.clocksUnderLoadMHz)].sort((a, b) => a - b);
  const load = seen.length === 0 ? '' : `, ${[seen[0], ...seen.slice(1).slice(-1)].join(' to ')} MHz under load`;
  return [
    `${gpu.name}, driver ${gpu.driver}, ${gpu.uuid}`,
    `${bytes(gpu.memoryUsedBytes)} of ${bytes(gpu.memoryTotalBytes)} used, ${processes}, ${gpu.temperatureC ?? '?'} °C, limit ${gpu.powerLimitW ?? '?'} W`,
    `clock ${gpu.clockMHz ?? '?'} of ${gpu.clockMaxMHz ?? '?'} MHz${load}`,
  ];
}

function trialTexts(trial: DoctorTrial): string[] {
  const { agreement, margin } = trial;
  const head = `Two copies of ${name(trial.model)} against each other: ${name(trial.case)}, mode ${trial.mode}, ${trial.seconds} s`;
  const rows = agreement === null ? [] : agreementTexts(trial, agreement);
  const provable = (agreement?.provable ?? []).map(({ restarts, change }) =>
    change === null ? `nothing after ${restarts}` : `${formatShare(change)} after ${restarts}`,
  );
  const smallest: [string, string][] =
    provable.length === 0
      ? []
      : [['smallest proof', `slower by ${provable.join(', ')} restarts, at a margin of ${formatShare(margin)}`]];
  return [
    terminalText(head),
    ...[...rows, ...smallest].map(([label, text]) => `  ${label.padEnd(ROW_LABEL_WIDTH)} ${terminalText(text)}`),
    ...[...(trial.providerNote === null ? [] : [trial.providerNote]), ...trial.notes].map(
      (note) => `  note: ${terminalText(note)}`,
    ),
  ];
}

function agreementTexts(trial: DoctorTrial, agreement: NonNullable<DoctorTrial['agreement']>): [string, string][] {
  const ms = (value: number) => formatQuantity(value, 'ms');
  const { byOrder } = agreement;
  return [
    ['latency p50', `${ms(agreement.base)} and ${ms(agreement.head)}: ${formatChange(agreement.difference)} apart`],
    ['spread', `${formatShare(agreement.spread)} between restarts, ${agreement.restarts} measured`],
    ...(byOrder === null
      ? []
      : [
          ['start order', `${formatChange(byOrder.first)} started first, ${formatChange(byOrder.second)} second`] as [
            string,
            string,
          ],
        ]),
    ...(trial.oneFeed === null
      ? []
      : [
          ['one feed', `${ms(trial.oneFeed)} where one is repeated, ${ms(agreement.head)} with the pool`] as [
            string,
            string,
          ],
        ]),
    ...(trial.floorShare === null
      ? []
      : [['cost of the call', `${formatShare(trial.floorShare)} of the time`] as [string, string]]),
  ];
}

function adviceTexts(advice: readonly string[]): string[] {
  if (advice.length === 0) return ['Nothing to mend.'];
  return ['To mend', ...advice.map((text, i) => `  ${i + 1}. ${terminalText(text)}`)];
}

function name(text: string): string {
  return terminalText(text, NAME_LENGTH);
}
