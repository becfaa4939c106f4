import http from 'node:http';
import { landingPage } from './landing.ts';
import { OperatorError } from './operator-error.ts';

const HOST = '127.0.0.1';

export type Front = {
  url: string;
  /** Where requests go from now on: the emulator's address of the API, which is known once it is deployed. */
  target: URL | undefined;
  stop(): Promise<void>;
};

/**
 * One origin for every part of the service, as a domain name gives it on AWS: each request goes to the API behind it, but
 * for the page that people come back to after their consent.
 * @param port 0 = a free one. @throws OperatorError where the port is in use.
 */
export async function startFront(port: number): Promise<Front> {
  const agent = new http.Agent({ keepAlive: true });
  const front: Front = { url: '', target: undefined, stop: async () => undefined };

  const server = http.createServer((request, response) => {
    const answer = (status: number, error: string) =>
      response.headersSent
        ? response.destroy()
        : response
            .writeHead(status, { 'content-type': 'application/json' })
            .end(JSON.stringify({ error, message: error }));
    if (!front.target) {
      answer(503, 'starting');
      return;
    }
    const [path, ...query] = (request.url ?? '/').split('?');
    if (request.method === 'GET' && path === '/') {
      const page = landingPage(new URLSearchParams(query.join('?')));
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      return;
    }
    const passed = http.request(
      {
        agent,
        hostname: front.target.hostname,
        port: front.target.port,
        method: request.method,
        path: front.target.pathname + (request.url ?? '/'),
        headers: {
          ...request.headers,
          host: front.target.host,
          'x-forwarded-proto': 'http',
          'x-forwarded-host': request.headers.host,
        },
      },
      (incoming) => {
        response.writeHead(incoming.statusCode ?? 502, incoming.headers);
        incoming.pipe(response);
      },
    );
    passed.on('error', () => answer(502, 'the local cloud does not answer'));
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });

  await new Promise<void>((resolve, reject) => {
    server
      .once('listening', resolve)
      .once('error', (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'EADDRINUSE'
            ? new OperatorError(`Port ${port} is in use: free it, or set PORT to another one.`)
            : error,
        ),
      );
    server.listen(port, HOST);
  });
  const address = server.address();
  front.url = `http://${HOST}:${typeof address === 'object' ? address?.port : port}`;
  front.stop = async () => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return front;
}
