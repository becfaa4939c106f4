import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { untilNoError } from './runner/until-no-error.ts';

/** A server on the loopback interface. `closeServers` closes it. */
export type LoopbackServer = {
  url: string;
  port: number;
  /** The connections so far. */
  connections: () => number;
  /** Resolves when no connection is open. */
  allClosed: () => Promise<void>;
  close: () => Promise<void>;
};

const servers: LoopbackServer[] = [];

/** Closes the servers of the test, for `afterEach`. */
export const closeServers = async (): Promise<void> => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
};

export const serve = (listener: RequestListener): Promise<LoopbackServer> => listening(http.createServer(listener));

/** Starts a server with full control over the raw connection. */
export const serveRaw = (act: (socket: Socket) => unknown): Promise<LoopbackServer> =>
  listening(
    net.createServer((socket) => {
      // Without reading, the server would not notice that the other side has ended.
      socket.resume();
      act(socket);
    }),
  );

/** Answers the first data of every connection with this text. */
export const answerRaw = (text: string): Promise<LoopbackServer> =>
  serveRaw((socket) => socket.once('data', () => socket.write(text)));

/** Writes repeatedly until the socket is closed. */
export function trickle(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.once('close', () => clearInterval(timer));
}

async function listening(server: Server): Promise<LoopbackServer> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const started: LoopbackServer = {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    async allClosed() {
      await untilNoError(() => assert.equal(open.size, 0, 'connections are still open'));
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  servers.push(started);
  return started;
}
