import { z } from 'zod';
import { gateConfigSchema } from './gate-config.ts';

/** The parts of JSON Schema that zod writes for the config. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly description?: string;
}

/** JSON Schema of `.github/model-gate.yml` as people write it (quantities are still text). */
export function configJsonSchema(): JsonSchema {
  return z.toJSONSchema(gateConfigSchema, { io: 'input', override: dropSafeIntegerBounds }) as JsonSchema;
}

/** Bounds of 2^53 say nothing to an editor's user. */
function dropSafeIntegerBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** Keys the config may have at `path`; empty where any name is allowed. */
export function keysAt(path: readonly (string | number)[]): readonly string[] {
  let places: readonly JsonSchema[] = [configJsonSchema()];
  for (const part of path) places = places.flatMap(branches).flatMap((place) => step(place, part));
  return places.flatMap(branches).flatMap((place) => Object.keys(place.properties ?? {}));
}

function branches(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf ? schema.anyOf.flatMap(branches) : [schema];
}

function step(schema: JsonSchema, part: string | number): readonly JsonSchema[] {
  const next =
    typeof part === 'number'
      ? (schema.prefixItems?.[part] ?? schema.items)
      : Object.hasOwn(schema.properties ?? {}, part)
        ? schema.properties?.[part]
        : schema.additionalProperties;
  return typeof next === 'object' ? [next] : [];
}
