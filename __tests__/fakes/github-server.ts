import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, NOT_FOUND } from './github-server-answers.ts';
import { createRouter } from './github-server-openapi.ts';
import { createHandlers } from './github-server-routes.ts';
import { createShapes } from './github-server-shapes.ts';
import { createState, type GitHubState } from './github-server-state.ts';

/** A planned misbehaviour, used `times` times (once unless said otherwise), in the order planned. */
export interface Fault {
  readonly method?: string;
  readonly path: RegExp;
  readonly times?: number;
  /** `before` answers unread; `after` does the work first and then answers wrongly. */
  readonly when?: 'before' | 'after';
  /** A status, a dropped connection, a body cut in half, or no interference but `hold`. */
  readonly answer: number | 'drop' | 'cut' | 'normal';
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** Called when the request arrives; it is held until the promise settles: for races. */
  readonly hold?: () => Promise<unknown>;
}

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly status: number | 'dropped';
}

export interface GitHubServer {
  readonly state: GitHubState;
  readonly apiUrl: string;
  readonly requests: readonly LoggedRequest[];
  /** Requests that GitHub's OpenAPI description refuses, and answers of the fake that it would not give. */
  readonly violations: readonly string[];
  plan(fault: Fault): void;
  close(): Promise<void>;
}

/** Starts a local GitHub. `basePath` is `/api/v3` on an Enterprise Server. */
export async function startGitHubServer({ basePath = '' }: { readonly basePath?: string } = {}): Promise<GitHubServer> {
  const state = createState();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const apiUrl = `${origin}${basePath}`;
  const route = createRouter();
  const handlers = createHandlers(state, createShapes(state, origin, apiUrl));
  const requests: LoggedRequest[] = [];
  const violations: string[] = [];
  const faults: Array<{ fault: Fault; left: number }> = [];

  server.on('request', (request, response) => {
    serve(request, response).catch((thrown) => {
      violations.push(`the fake failed: ${String(thrown)}`);
      response.destroy();
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', origin);
    const text = await readText(request);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const fault = takeFault(method, url.pathname);
    await fault?.hold?.();
    const log = (status: LoggedRequest['status']) =>
      requests.push({ method, path: url.pathname + url.search, body, status });
    const interferes = fault && (fault.answer === 'drop' || typeof fault.answer === 'number');
    if (interferes && fault.when !== 'after') return misbehave(fault, response, log);
    const answer = answerTo(method, url, body, request);
    if (interferes) return misbehave(fault, response, log);
    log(answer.status);
    send(response, answer, url, fault?.answer === 'cut');
  }

  function answerTo(method: string, url: URL, body: unknown, request: IncomingMessage): Answer {
    const blob = /^\/_blobs\/(\d+)$/.exec(url.pathname)?.[1];
    if (blob) return blobAnswer(state, Number(blob), request, violations);
    const token = state.tokens.get((request.headers.authorization ?? '').replace(/^(token|bearer) /i, ''));
    if (!token) return { status: 401, body: { message: 'Bad credentials' } };
    if (url.pathname === (basePath === '' ? '/graphql' : '/api/graphql'))
      return { status: 200, body: { data: { viewer: { login: token.login } } } };
    const found = url.pathname.startsWith(basePath) ? route(method, url.pathname.slice(basePath.length)) : null;
    const handler = found && handlers[found.endpoint];
    if (!found || !handler || found.params['owner'] !== state.owner || found.params['repo'] !== state.repo) {
      if (!handler) violations.push(`no such endpoint: ${method} ${url.pathname}`);
      return NOT_FOUND;
    }
    const wrong = found.checkRequest(url.searchParams, body);
    if (wrong.length > 0) {
      violations.push(...wrong.map((line) => `${found.endpoint}: ${line}`));
      return { status: 422, body: { message: wrong.join('; ') } };
    }
    if (!token.permissions.has(handler.permission)) return forbidden(handler.permission);
    const answer = handler.handle({
      params: found.params,
      query: url.searchParams,
      body: (body ?? {}) as Record<string, unknown>,
      login: token.login,
      origin,
    });
    if (answer.status === 422) violations.push(`${found.endpoint}: ${JSON.stringify(answer.body)}`);
    const paged = answer.list ? pageOf(answer, url, apiUrl.slice(0, apiUrl.length - basePath.length)) : answer;
    violations.push(...found.checkResponse(paged.status, paged.body).map((line) => `${found.endpoint}: ${line}`));
    return paged;
  }

  function takeFault(method: string, path: string): Fault | null {
    const entry = faults.find(
      ({ fault, left }) => left > 0 && (fault.method ?? method) === method && fault.path.test(path),
    );
    if (!entry) return null;
    entry.left--;
    return entry.fault;
  }

  return {
    state,
    apiUrl,
    requests,
    violations,
    plan: (fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function misbehave(fault: Fault, response: ServerResponse, log: (status: LoggedRequest['status']) => void): void {
  if (typeof fault.answer !== 'number') {
    log('dropped');
    response.destroy();
    return;
  }
  log(fault.answer);
  response.writeHead(fault.answer, { 'content-type': 'application/json', ...fault.headers });
  response.end(JSON.stringify({ message: fault.message ?? `planned ${fault.answer}` }));
}

function send(response: ServerResponse, { status, body, headers }: Answer, url: URL, cut: boolean): void {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-github-request-id': url.pathname,
    ...(bytes.length > 0 ? { 'content-length': bytes.length } : {}),
    ...headers,
  });
  if (cut) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  else response.end(bytes);
}

/** GitHub's own words, and the header that names the permission. */
function forbidden(permission: string): Answer {
  return {
    status: 403,
    body: { message: 'Resource not accessible by integration' },
    headers: { 'x-accepted-github-permissions': permission.replaceAll('-', '_').replace(': ', '=') },
  };
}

/** One page of a list, with a Link header to the server itself. */
function pageOf(answer: Answer, url: URL, origin: string): Answer {
  const { items, under } = answer.list ?? { items: [] };
  const perPage = Math.min(Number(url.searchParams.get('per_page') ?? 30), 100);
  const page = Number(url.searchParams.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(items.length / perPage));
  const linkTo = (number: number, rel: string) => {
    const target = new URL(url.pathname + url.search, origin);
    target.searchParams.set('page', String(number));
    return `<${target}>; rel="${rel}"`;
  };
  const links = page < last ? [linkTo(page + 1, 'next'), linkTo(last, 'last')] : [];
  const shown = items.slice((page - 1) * perPage, page * perPage);
  return {
    status: answer.status,
    body: under ? { total_count: items.length, [under]: shown } : shown,
    ...(links.length > 0 ? { headers: { link: links.join(', ') } } : {}),
  };
}

/** Downloads come from another host, which must never see the token. */
function blobAnswer(state: GitHubState, id: number, request: IncomingMessage, violations: string[]): Answer {
  if (request.headers.authorization) violations.push('the token was sent to the download host');
  const artifact = state.artifacts.find((entry) => entry.id === id);
  return artifact ? { status: 200, body: artifact.content, headers: { 'content-type': 'application/zip' } } : NOT_FOUND;
}
