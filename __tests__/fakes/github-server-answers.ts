export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
  readonly login: string;
  readonly origin: string;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A whole list: the server cuts it into pages. `under` is the key of enveloped lists. */
  readonly list?: { readonly items: readonly unknown[]; readonly under?: string };
}

export interface Handler {
  /** Permission without which GitHub answers 403. */
  readonly permission: string;
  handle(call: Call): Answer;
}

export const NOT_FOUND: Answer = {
  status: 404,
  body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' },
};

/** A refusal as GitHub words it. */
export function invalid(field: string, message: string): Answer {
  return {
    status: 422,
    body: { message: 'Validation Failed', errors: [{ resource: 'Fake', code: 'custom', field, message }] },
  };
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function listOf(items: readonly unknown[]): Answer {
  return { status: 200, list: { items } };
}

export function okOr404<T>(found: T | undefined, shape: (found: T) => unknown): Answer {
  return found === undefined ? NOT_FOUND : ok(shape(found));
}
