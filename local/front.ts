import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { landingPage } from './landing.ts';
import { OperatorError } from './operator-error.ts';

const HOST = '127.0.0.1';

export type Front = {
  url: string;
  /** The emulator's address of the API, which is known after the deployment. Until then, requests get 503. */
  target: URL | undefined;
  stop(): Promise<void>;
};

/**
 * Serves the whole service from one origin, as a domain name does on AWS: it forwards requests to the API, except the
 * page that people reach after a consent.
 * @param port 0 = a free one. @throws OperatorError where the port is in use.
 */
export async function startFront(port: number): Promise<Front> {
  // A kept-alive connection may be closing at the emulator's idle time-out when the next request is sent on it.
  const agent = new http.Agent({ keepAlive: false });
  const front: Front = { url: '', target: undefined, stop: async () => undefined };
  const server = http.createServer((request, response) => {
    const [path, ...query] = (request.url ?? '/').split('?');
    if (!front.target) answerError(response, 503, 'starting');
    else if (request.method === 'GET' && path === '/')
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(landingPage(new URLSearchParams(query.join('?'))));
    else forward(request, response, front.target, agent);
  });
  await listen(server, port);
  front.url = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  front.stop = async () => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return front;
}

function forward(request: IncomingMessage, response: ServerResponse, target: URL, agent: http.Agent): void {
  const forwarded = http.request(
    {
      agent,
      hostname: target.hostname,
      port: target.port,
      method: request.method,
      path: target.pathname + (request.url ?? '/'),
      headers: {
        ...request.headers,
        host: target.host,
        'x-forwarded-proto': 'http',
        'x-forwarded-host': request.headers.host,
      },
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  forwarded.on('error', () => answerError(response, 502, 'the local cloud does not answer'));
  response.on('close', () => forwarded.destroy());
  request.pipe(forwarded);
}

function answerError(response: ServerResponse, status: number, error: string): void {
  if (response.headersSent) response.destroy();
  else
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error, message: error }));
}

async function listen(server: http.Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve).once('error', (error: NodeJS.ErrnoException) => {
      const isInUse = error.code === 'EADDRINUSE';
      reject(isInUse ? new OperatorError(`Port ${port} is in use: free it, or set PORT to another one.`) : error);
    });
    server.listen(port, HOST);
  });
}
