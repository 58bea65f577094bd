import type { TensorInfo } from '../model/model-facts.ts';
import { describeTensor } from '../model/signature.ts';

/** YAML that answers a question: lines that go under one key of the model in the config. */
export interface Answer {
  readonly under: 'inputs' | 'dims';
  readonly yaml: string;
}

/** A question in one line: which input, what is missing, and the YAML that answers it. */
export function ask(input: TensorInfo, problem: string, answer?: Answer): string {
  const question = `input ${JSON.stringify(input.name)} (${describeTensor(input)}) ${problem}`;
  if (!answer) return question;
  const hint = `under this model's "${answer.under}:" in .github/model-gate.yml: ${answer.yaml}`;
  return question.endsWith('?') ? `${question} Add ${hint}` : `${question}; add ${hint}`;
}

/** `ids: {range: [0, 99999]}` under `inputs:`. */
export function inputAnswer(name: string, spec: Readonly<Record<string, Scalar | readonly Scalar[]>>): Answer {
  const fields = Object.entries(spec).map(([key, value]) => `${key}: ${flow(value)}`);
  return { under: 'inputs', yaml: `${flow(name)}: {${fields.join(', ')}}` };
}

/** `seq: 128` under `dims:`. */
export function dimsAnswer(name: string, size: number): Answer {
  return { under: 'dims', yaml: `${flow(name)}: ${size}` };
}

type Scalar = string | number | boolean;

/** YAML 1.1 reads words such as `n`, `no` and `on` as booleans: those are quoted. */
function flow(value: Scalar | readonly Scalar[]): string {
  if (typeof value === 'object') return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  const isPlain = /^[A-Za-z_][\w.-]*$/.test(value) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
