import { NoVerdictError, RefusedError } from '../errors.ts';
import { parseGateConfig } from '../inputs/config-file.ts';
import { EMPTY_CONFIG, type GateConfig } from '../inputs/gate-config.ts';
import type { Trigger } from '../inputs/trigger.ts';
import type { ChangeNote } from './change-set.ts';

/** Text of the config on both sides; null where that side has none. */
export interface ConfigTexts {
  readonly head: string | null;
  readonly base: string | null;
  readonly fileName: string;
}

/** Configs as read; `base` is null where base's can't be read. */
export interface ReadPolicies {
  readonly inForce: GateConfig;
  readonly base: GateConfig | null;
  readonly notes: readonly ChangeNote[];
}

/**
 * Which config is in force: head's, or base's for a fork.
 * @throws RefusedError where the config in force of head is faulty, NoVerdictError where that of base is.
 */
export function readPolicies(texts: ConfigTexts, source: Trigger['policySource']): ReadPolicies {
  const isEdited = texts.head !== texts.base;
  if (source === 'base') {
    const base = readBase(texts);
    if (base instanceof RefusedError)
      throw new NoVerdictError(`the base commit's config is in force for a fork, but is faulty: ${firstLine(base)}`);
    const text = `This change edits ${texts.fileName}; as it comes from a fork, the base commit's is in force.`;
    return { inForce: base, base, notes: isEdited ? [{ code: 'policy-of-base', text, headline: true }] : [] };
  }
  const inForce = texts.head === null ? EMPTY_CONFIG : parseGateConfig(texts.head, texts.fileName);
  const base = isEdited ? readBase(texts) : inForce;
  if (!(base instanceof RefusedError)) return { inForce, base, notes: [] };
  const text = `The base commit's config is faulty, so only this change's policy is judged (${firstLine(base)}).`;
  return { inForce, base: null, notes: [{ code: 'base-policy-faulty', text, headline: true }] };
}

function readBase({ base, fileName }: ConfigTexts): GateConfig | RefusedError {
  try {
    return base === null ? EMPTY_CONFIG : parseGateConfig(base, fileName);
  } catch (thrown) {
    if (thrown instanceof RefusedError) return thrown;
    throw thrown;
  }
}

function firstLine(error: Error): string {
  return error.message.split('\n')[0] ?? '';
}

/** Whether two parts of a config say the same, whatever the order of their keys. */
export function saysTheSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
