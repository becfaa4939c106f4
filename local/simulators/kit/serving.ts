import { createServer, type Server } from 'node:http';
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { SimulatorEnv } from './app.ts';
import { refuseForeignRequests } from './foreign-requests.ts';

/** A server on the loopback interface. */
export type Served = { url: string; stop(): Promise<void> };

/** Starts a server. @param port 0 for a free one */
export async function serve(app: Hono<SimulatorEnv>, port = 0): Promise<Served> {
  const server = createServer(listenerOf(app));
  // Longer than clients keep idle connections, so that only a fault breaks one.
  server.keepAliveTimeout = 75_000;
  const url = await listen(server, port);
  return {
    url,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Starts a server that speaks HTTP/2 without TLS. @param port 0 for a free one */
export async function serveHttp2(app: Hono<SimulatorEnv>, port = 0): Promise<Served> {
  const server = createHttp2Server(listenerOf(app));
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    // A client that breaks its connection is not a failure of the simulator.
    session.on('error', () => undefined);
  });
  const url = await listen(server, port);
  return {
    url,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

const listenerOf = (app: Hono<SimulatorEnv>) =>
  refuseForeignRequests(getRequestListener(app.fetch, { overrideGlobalObjects: false }));

async function listen(server: Server | Http2Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
