import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ENVIRONMENT } from './git-remote.ts';

/** A git host over HTTP: git's own `http-backend` behind a server that checks a password. */
export interface HttpHost {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves the repositories below `root`; only requests with `authorization` may write. `faults.pushes` many pushes are
 * answered by 500 after they were taken in or before, as a gateway would that lost the connection.
 */
export async function serveGit(
  root: string,
  authorization: string,
  faults: { pushes: number; after: 'storing' | 'nothing' } = { pushes: 0, after: 'nothing' },
): Promise<HttpHost> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const isWrite = url.pathname.endsWith('git-receive-pack') || url.searchParams.get('service') === 'git-receive-pack';
    if (isWrite && request.headers.authorization !== authorization) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end('Write access to repository not granted.');
      request.resume();
      return;
    }
    const isFaulty = request.method === 'POST' && isWrite && faults.pushes > 0;
    if (isFaulty) faults.pushes--;
    const fail = () => response.writeHead(500).end('bad gateway');
    if (isFaulty && faults.after === 'nothing') {
      request.resume();
      fail();
      return;
    }
    const child = spawn('git', ['http-backend'], {
      env: {
        ...ENVIRONMENT,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        REMOTE_USER: 'writer',
        REQUEST_METHOD: request.method ?? 'GET',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      if (isFaulty) return fail();
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      const headers = answer.toString('latin1', 0, end).split('\r\n');
      const status = /^Status: (\d+)/.exec(headers[0] ?? '')?.[1];
      for (const header of headers) {
        const [name, ...value] = header.split(': ');
        if (name && name !== 'Status') response.setHeader(name, value.join(': '));
      }
      response.writeHead(Number(status ?? 200)).end(answer.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
