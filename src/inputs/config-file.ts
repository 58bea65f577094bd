import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { describeThrown, RefusedError } from '../errors.ts';
import { type ConfigFault, checkConfig, withDefaultIds } from './config-checks.ts';
import { describeIssue } from './config-issue.ts';
import { type GateConfig, gateConfigSchema } from './gate-config.ts';

/** Where the gate's config lies unless the `config` input says otherwise. */
export const DEFAULT_CONFIG_PATH = '.github/model-gate.yml';

const LARGEST_CHARACTERS = 1_000_000;
const SHOWN_FAULTS = 20;

/**
 * Reads the gate's config.
 * @returns the config with every `id` given that can be known without the repository's files.
 * @throws RefusedError with one line a fault: `file:line:column: where: what, what to do`.
 */
export function parseGateConfig(text: string, fileName: string): GateConfig {
  if (text.length > LARGEST_CHARACTERS) refuse(fileName, [`1:1: is larger than ${LARGEST_CHARACTERS} characters`]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}: `;
  };
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0)
    refuse(
      fileName,
      broken.map((error) => at(error.pos[0]) + oneLine(error.message)),
    );
  const parsed = gateConfigSchema.safeParse(toPlain(document, fileName), { reportInput: true });
  const faults = parsed.success ? checkConfig(parsed.data) : parsed.error.issues.flatMap(faultsOf);
  if (faults.length > 0)
    refuse(
      fileName,
      faults.map((fault) => `${at(offsetOf(document, fault))}${oneLine(where(fault.path) + fault.text)}`),
    );
  return withDefaultIds(parsed.data as GateConfig);
}

function refuse(fileName: string, faults: readonly string[]): never {
  const shown = faults.slice(0, SHOWN_FAULTS).map((fault) => `${fileName}:${fault}`);
  const more = faults.length - shown.length;
  throw new RefusedError([...shown, ...(more > 0 ? [`${fileName}: and ${more} more faults`] : [])].join('\n'));
}

/** Plain data; aliases are followed at most 100 times in all, so that a few lines can't grow to gigabytes. */
function toPlain(document: Document, fileName: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    return refuse(fileName, [`1:1: ${oneLine(describeThrown(thrown))}`]);
  }
}

function faultsOf(issue: z.core.$ZodIssue): ConfigFault[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code !== 'unrecognized_keys') return [describeIssue(issue, path)];
  return issue.keys.map((key) => describeIssue({ ...issue, keys: [key] }, path));
}

/** Offset of the key or value a fault is about, or of the nearest parent that is written in the file. */
function offsetOf(document: Document, fault: ConfigFault): number {
  for (let length = fault.path.length; length > 0; length--) {
    const parent = document.getIn(fault.path.slice(0, length - 1), true);
    const last = fault.path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(last))
      : undefined;
    const node = pair?.key ?? document.getIn(fault.path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function where(path: ConfigFault['path']): string {
  if (path.length === 0) return '';
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return `${text.replace(/^\./, '')}: `;
}

/** Keys and values come from the file: no control character of theirs reaches a log. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 600);
}
