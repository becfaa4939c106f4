import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperatorError } from './operator-error.ts';
import { refuseForeignRequests } from './simulators/kit/foreign-requests.ts';

const HOST = '127.0.0.1';
/** API Gateway answers 431 if the request line and the headers, with their names, are longer ("Quotas"). */
const MAX_HEADER_BYTES = 10_240;

type Targets = {
  /** The emulator's address of the API. */
  api: URL;
  /** The emulator, which serves the dashboard's distribution under its host name. */
  site: { url: URL; host: string };
};

export type Front = {
  url: string;
  /** Known after the deployment. Until then, requests get 503. */
  targets: Targets | undefined;
  stop(): Promise<void>;
};

/**
 * Serves the whole service from one origin, as the distribution does on AWS: /api, /v1 and /openapi.json are the API's,
 * all other paths the dashboard's pages. The emulator's distributions have no AWS-hosted origins, so the paths are
 * split here. Web pages of other origins are refused.
 * @param port 0 for a free one. @throws OperatorError if the port is in use.
 */
export async function startFront(port: number): Promise<Front> {
  // A kept-alive connection may be closing at the emulator's idle time-out when the next request is sent on it.
  const agent = new http.Agent({ keepAlive: false });
  const front: Front = { url: '', targets: undefined, stop: async () => undefined };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/';
    const { targets } = front;
    if (!targets) answerError(response, 503, 'starting');
    else if (/^\/((api|v1)(\/|$)|openapi\.json($|\?))/.test(path))
      forward(request, response, agent, {
        to: targets.api,
        headers: { host: targets.api.host, 'x-forwarded-proto': 'http', 'x-forwarded-host': request.headers.host },
      });
    // Cookies and the origin check accept only one address.
    else if (request.headers.host?.startsWith('localhost:'))
      response.writeHead(307, { location: `${front.url}${path}` }).end();
    else
      forward(request, response, agent, {
        to: targets.site.url,
        // Without the protocol, the distribution redirects to https.
        headers: { host: targets.site.host, 'x-forwarded-proto': 'https' },
      });
  };
  const server = http.createServer({ maxHeaderSize: MAX_HEADER_BYTES }, refuseForeignRequests(answer));
  await listen(server, port);
  front.url = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  front.stop = async () => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return front;
}

type Forwarding = { to: URL; headers: http.OutgoingHttpHeaders };

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  agent: http.Agent,
  { to, headers }: Forwarding,
): void {
  // Not forwarded: `refuseForeignRequests` has checked it, and the emulator would refuse a person who followed a link.
  const { 'sec-fetch-site': _site, ...asked } = request.headers;
  const forwarded = http.request(
    {
      agent,
      hostname: to.hostname,
      port: to.port,
      method: request.method,
      path: to.pathname.replace(/\/$/, '') + (request.url ?? '/'),
      headers: { ...asked, ...headers },
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
