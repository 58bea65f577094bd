import { z } from 'zod';
import { RefusedError } from '../errors.ts';
import { durationSchema } from './quantity-schema.ts';
import { didYouMean, quoteName } from './suggestion.ts';

export const COMMANDS = ['gate', 'plan', 'measure', 'judge', 'accept-baseline', 'publish'] as const;

const orNull = <T>(schema: z.ZodType<T, string>) =>
  z.union([z.literal('').transform(() => null), schema]) as z.ZodType<T | null, string>;

/** GitHub passes an absent input as ''. */
const optionalText = orNull(z.string());

function choice<const T extends readonly [string, ...string[]]>(values: T, fallback: T[number]) {
  return z.string().transform((text, context): T[number] => {
    const found = values.find((value) => value === (text === '' ? fallback : text));
    if (found !== undefined) return found;
    context.addIssue(`expected one of ${values.join(', ')}, got ${quoteName(text)}${didYouMean(text, values)}`);
    return z.NEVER;
  });
}

/** Only the words of YAML: anything else is a slip, never false. */
function flag(fallback: 'true' | 'false') {
  const parse = z.stringbool({ truthy: ['true'], falsy: ['false'], error: 'expected true or false' });
  return z
    .string()
    .transform((text) => (text === '' ? fallback : text))
    .pipe(parse);
}

const list = z.string().transform((text) =>
  text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const positiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, 'expected a whole number from 1')
  .transform(Number);

const shard = z.string().transform((text, context) => {
  const [, index, count] = /^([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(text) ?? [];
  if (index && count && Number(index) <= Number(count)) return { index: Number(index), count: Number(count) };
  context.addIssue(`expected a shard such as 2/4, got ${quoteName(text)}`);
  return z.NEVER;
});

/** The action's inputs with all their defaults; action.yml states the same in words. */
export const actionInputsSchema = z.object({
  command: choice(COMMANDS, 'gate'),
  config: optionalText,
  models: list,
  'base-ref': optionalText,
  'pr-number': orNull(positiveInteger),
  launch: flag('false'),
  'baseline-store': orNull(choice(['directory', 'branch'], 'directory')),
  'baseline-branch': optionalText,
  reason: optionalText,
  'time-budget': orNull(durationSchema),
  enforce: flag('true'),
  'on-no-verdict': choice(['fail', 'pass'], 'fail'),
  'fail-fast': flag('false'),
  comment: choice(['always', 'on-change', 'on-failure', 'never'], 'on-change'),
  'status-context': z
    .string()
    .regex(/^\P{C}{0,100}$/u, 'expected at most 100 visible characters')
    .transform((text) => (text === '' ? 'model-gate' : text)),
  shard: orNull(shard),
  results: z.string().transform((text) => (text === '' ? 'model-gate-results' : text)),
  'onnxruntime-path': optionalText,
  'install-cuda': flag('false'),
  'lock-dir': optionalText,
  'lock-clocks': orNull(positiveInteger),
  'github-token': z.string(),
});

export type ActionInputs = Readonly<z.infer<typeof actionInputsSchema>>;
export type ActionInputName = keyof ActionInputs;

export const ACTION_INPUT_NAMES = Object.keys(actionInputsSchema.shape) as ActionInputName[];

/**
 * The action's inputs from `get`, which gives '' for one that is not set; null means that config or engine decide.
 * @throws RefusedError naming each wrong input.
 */
export function parseActionInputs(get: (name: string) => string): ActionInputs {
  const texts = Object.fromEntries(ACTION_INPUT_NAMES.map((name) => [name, get(name).trim()]));
  const parsed = actionInputsSchema.safeParse(texts);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `input ${issue.path.join('.')}: ${messageOf(issue)}`);
  throw new RefusedError(faults.join('; '));
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message;
  return issue.errors.at(-1)?.[0]?.message ?? issue.message;
}
