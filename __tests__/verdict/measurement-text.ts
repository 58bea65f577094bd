import type { GateConfig } from '../../src/inputs/gate-config.ts';
import { parseMeasurement } from '../../src/measure/measurement-file.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { Row, Verdict } from '../../src/verdict/verdict.ts';

type Values = Readonly<Record<string, number>>;

/** One case of one arm as the tests write it: values of each restart, and whatever else the entry needs. */
export interface CaseText {
  readonly id?: string;
  readonly metrics?: Readonly<Record<string, object>>;
  readonly restarts?: readonly Values[];
  readonly invalid?: Readonly<Record<number, readonly string[]>>;
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly workload?: string;
}

export interface FileText {
  readonly session?: string;
  readonly environment?: object;
  readonly manifest?: object;
  readonly notes?: readonly object[];
  readonly cases: readonly CaseText[];
}

/** A measurement file as JSON text. */
export function fileText(arm: 'base' | 'head', file: FileText): string {
  return JSON.stringify({
    schema: 'model-gate/measurement@1',
    createdAt: '2026-12-01T10:00:00Z',
    tool: { name: 'test', version: '1' },
    session: file.session ?? 's1',
    arm,
    environment: file.environment ?? { class: 'c1', facts: { 'cpu.model': 'EPYC' } },
    ...(file.manifest ? { manifest: file.manifest } : {}),
    ...(file.notes ? { notes: file.notes } : {}),
    entries: file.cases.map((one) => entryJson(one)),
  });
}

function entryJson(one: CaseText): object {
  const id = one.id ?? 'ranker/cpu/b8/c1';
  return {
    subject: { model: id.split('/')[0] },
    case: { id, provider: id.split('/')[1] ?? 'cpu', workload: one.workload ?? 'w1' },
    metrics: one.metrics ?? {},
    restarts: (one.restarts ?? []).map((values, index) => ({
      index,
      valid: one.invalid?.[index] === undefined,
      notes: one.invalid?.[index] ?? [],
      values,
    })),
    ...one.entry,
  };
}

/** Judges two files given as JSON text, as the command does. */
export function judgeTexts(
  base: string | null,
  head: string,
  config: Partial<GateConfig> = {},
  today = '2026-12-01',
): Verdict {
  return judge({
    base: base === null ? null : parseMeasurement(base, 'base.json'),
    head: parseMeasurement(head, 'head.json'),
    config: { version: 1, ...config },
    today,
  });
}

/** Judges one case given by its restarts in both arms. */
export function judgeCase(
  base: Omit<CaseText, 'id'>,
  head: Omit<CaseText, 'id'>,
  config: Partial<GateConfig> = {},
): Verdict {
  return judgeTexts(fileText('base', { cases: [base] }), fileText('head', { cases: [head] }), config);
}

/** The row of a metric; throws where the verdict has none. */
export function rowOf(verdict: Verdict, metric: string, caseId?: string): Row {
  const row = verdict.rows.find((one) => one.metric === metric && (caseId === undefined || one.case === caseId));
  if (!row) throw new Error(`no row ${metric} in ${verdict.rows.map((one) => one.metric).join(', ')}`);
  return row;
}

/** `count` restarts of one metric: `center` with a fixed, symmetric wobble of `spread`. */
export function restartsOf(metric: string, center: number, count: number, spread = 0.002): Values[] {
  return Array.from({ length: count }, (_, i) => ({ [metric]: center * (1 + spread * (((i * 7) % 5) - 2) * 0.5) }));
}
