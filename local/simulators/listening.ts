import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a simulator's server on the loopback interface. @param port 0 = a free one. @returns its address. */
export async function listen(server: Server, port = 0): Promise<string> {
  // Idle connections outlive a client's pool, so that a break is always a scripted one.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends it with all its connections. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
