import { configJsonSchema, type JsonSchema } from './config-schema.ts';
import { KEY_TEXTS, type KeyText } from './config-schema-text.ts';

/** One key of the config, flat. */
interface Key {
  readonly place: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** Every key of the config with its place, as `models[].session.threads`, parents first. */
export function listKeys(schema: JsonSchema, place = ''): Key[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const here = place === '' ? name : `${place}.${name}`;
    const required = schema.required?.includes(name) ?? false;
    return [{ place: here, schema: child, required }, ...listKeys(child, here)];
  });
  const items = typeof schema.items === 'object' ? listKeys(schema.items, `${place}[]`) : [];
  const named =
    typeof schema.additionalProperties === 'object' ? listKeys(schema.additionalProperties, `${place}.*`) : [];
  const either = (schema.anyOf ?? []).flatMap((branch) => listKeys(branch, place));
  return [...own, ...items, ...named, ...either];
}

/** The JSON Schema for editors, with each key described, as file text. */
export function renderConfigSchema(): string {
  const described = describeKeys(configJsonSchema(), '');
  return `${JSON.stringify({ title: 'Model Gate configuration', ...described }, null, 2)}\n`;
}

function describeKeys(schema: JsonSchema, place: string): JsonSchema {
  const text = KEY_TEXTS.get(place);
  const child = (value: JsonSchema | boolean | undefined, here: string) =>
    typeof value === 'object' ? describeKeys(value, here) : value;
  const properties = Object.entries(schema.properties ?? {}).map(([name, value]) => [
    name,
    describeKeys(value, place === '' ? name : `${place}.${name}`),
  ]);
  return {
    ...schema,
    ...(text && { description: sentence(text) }),
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(schema.items !== undefined && { items: child(schema.items, `${place}[]`) as JsonSchema }),
    ...(schema.additionalProperties !== undefined && {
      additionalProperties: child(schema.additionalProperties, `${place}.*`) as JsonSchema,
    }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map((branch) => describeBranch(branch, place)) }),
  };
}

/** A branch's own keys are described; its value already is. */
function describeBranch(branch: JsonSchema, place: string): JsonSchema {
  const { description: _, ...rest } = describeKeys(branch, place);
  return rest;
}

function sentence(text: KeyText): string {
  const plain = text.unset === undefined ? text.text : `${text.text} Default: ${text.unset}.`;
  return plain.replaceAll('`', '');
}

const INTRODUCTION = `<!-- Written by \`node scripts/write-docs.mjs\` from src/inputs/gate-config.ts; edit there. -->
# Configuration

The gate reads \`.github/model-gate.yml\` (another file: input \`config\`). Without it every changed \`*.onnx\` is gated with
the defaults below. Unknown keys are refused. \`docs/model-gate.schema.json\` gives completion and checks in an editor.

\`[]\` stands for each entry of a list, \`*\` for a name you choose. Shares are written \`3%\` or \`0.03\`, other quantities with
their unit (\`ns us ms s\`, \`B KiB MiB GiB kB MB GB\`, \`1/s\`), durations as \`90s\`, \`20m\`, \`1h\` or \`30d\`.
`;

/** `docs/configuration.md`: a table for each part of the config; parts that are alike share one. */
export function renderConfigurationDocs(): string {
  const sections = new Map<string, Key[]>();
  for (const key of listKeys(configJsonSchema())) {
    const section = sectionOf(key.place);
    sections.set(section, [...(sections.get(section) ?? []), key]);
  }
  const titles = new Map<string, string[]>();
  for (const [title, keys] of sections) {
    const table = renderTable(title, keys);
    titles.set(table, [...(titles.get(table) ?? []), title === '' ? 'Top level' : `\`${title}\``]);
  }
  const parts = [...titles].map(([table, places]) => `## ${places.join(', ')}\n\n${table}`);
  return `${[INTRODUCTION.trimEnd(), ...parts].join('\n\n')}\n`;
}

function sectionOf(place: string): string {
  const parent = place.includes('.') ? place.slice(0, place.lastIndexOf('.')) : '';
  return parent.endsWith('.margin') ? parent.slice(0, -'.margin'.length) : parent;
}

function renderTable(title: string, keys: readonly Key[]): string {
  const rows = keys.map((key) => {
    const name = title === '' ? key.place : key.place.slice(title.length + 1);
    const text = KEY_TEXTS.get(key.place);
    const cells = [
      `\`${name}\``,
      typeOf(key.schema),
      text?.text ?? '',
      key.required ? 'required' : (text?.unset ?? ''),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| key | value | meaning | default |', '|---|---|---|---|', ...rows].join('\n');
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => typeOf({ type })).join(' or ');
  switch (schema.type) {
    case 'array':
      return schema.prefixItems
        ? 'pair'
        : typeof schema.items === 'object'
          ? `list of ${plural(typeOf(schema.items))}`
          : 'list';
    case 'object':
      return schema.properties ? 'section' : 'names with values';
    case 'integer':
      return 'whole number';
    case 'string':
      return schema.format === 'date' ? 'date' : 'text';
    default:
      return String(schema.type);
  }
}

function plural(type: string): string {
  return type === 'section' ? 'sections' : type === 'whole number' ? 'whole numbers' : type === 'text' ? 'texts' : type;
}
