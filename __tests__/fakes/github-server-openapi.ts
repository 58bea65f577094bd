import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';

interface Operation {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly schema: object };
  readonly response?: { readonly status: number; readonly schema: object };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: object;
}

export interface Route {
  /** As `GET /repos/{owner}/{repo}/pulls`. */
  readonly endpoint: string;
  readonly params: Readonly<Record<string, string>>;
  /** What GitHub's description finds wrong with the request; empty where it fits. */
  checkRequest(query: URLSearchParams, body: unknown): readonly string[];
  /** The same for our own answer, where the description of the answer is kept. */
  checkResponse(status: number, body: unknown): readonly string[];
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, object>>;
}

const FILE = join(import.meta.dirname, '../fixtures/openapi/github.json');

/** Finds and checks routes by GitHub's own OpenAPI description. */
export function createRouter(): (method: string, path: string) => Route | null {
  const { paths, components }: Description = JSON.parse(readFileSync(FILE, 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false, validateFormats: false });
  for (const [name, schema] of Object.entries(components)) ajv.addSchema(schema, `#/components/schemas/${name}`);
  const routes = Object.entries(paths)
    .flatMap(([template, operations]) =>
      Object.entries(operations).map(([method, operation]) =>
        compileRoute(ajv, method.toUpperCase(), template, operation),
      ),
    )
    // Literal segments before placeholders, as `issues/comments/{id}` before `issues/{number}/comments`.
    .sort((a, b) => a.placeholders - b.placeholders);
  return (method, path) => {
    for (const route of routes) {
      const found = route.match(method, path);
      if (found) return found;
    }
    return null;
  };
}

function compileRoute(ajv: Ajv, method: string, template: string, operation: Operation) {
  const pattern = new RegExp(`^${template.replace(/\{(\w+)\}/g, (_, name) => `(?<${name}>[^/]+)`)}$`);
  const parameters = operation.parameters.map((parameter) => ({ ...parameter, check: ajv.compile(parameter.schema) }));
  const body = operation.requestBody && ajv.compile(closed(operation.requestBody.schema));
  const response = operation.response && ajv.compile(operation.response.schema);
  return {
    placeholders: template.split('{').length,
    match(wanted: string, path: string): Route | null {
      const match = wanted === method ? pattern.exec(path) : null;
      if (!match) return null;
      const params = Object.fromEntries(
        Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
      );
      return {
        endpoint: `${method} ${template}`,
        params,
        checkRequest(query, sent) {
          const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
          return [
            ...[...query.keys()]
              .filter((name) => !known.includes(name))
              .map((name) => `unknown query parameter ${name}`),
            ...parameters.flatMap((parameter) => checkParameter(parameter, params, query)),
            ...(body ? faults(body, sent ?? {}, 'body') : []),
            ...(sent !== undefined && !body ? ['this endpoint takes no body'] : []),
          ];
        },
        checkResponse: (status, answer) =>
          response && status === operation.response?.status ? faults(response, answer, 'answer') : [],
      };
    },
  };
}

function checkParameter(
  parameter: Parameter & { readonly check: ValidateFunction },
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
): string[] {
  const text = parameter.in === 'path' ? params[parameter.name] : query.get(parameter.name);
  if (text === null || text === undefined) return parameter.required ? [`${parameter.name} is missing`] : [];
  const isNumber = (parameter.schema as { type?: string }).type === 'integer' && /^-?\d+$/.test(text);
  return faults(parameter.check, isNumber ? Number(text) : text, parameter.name);
}

/** Unknown properties would be ignored by GitHub: here they are a fault of ours. */
function closed(schema: object): object {
  return 'properties' in schema && !('oneOf' in schema) ? { additionalProperties: false, ...schema } : schema;
}

function faults(validate: ValidateFunction, value: unknown, name: string): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${name}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
