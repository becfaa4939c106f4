import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type Notification = { webhookId: string; body: string };

/** A callback receiver that accepts everything. */
export async function callbackReceiver() {
  const received: Notification[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ webhookId: String(request.headers['webhook-id']), body });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: (callId: string): Notification[] => received.filter(({ webhookId }) => webhookId.startsWith(callId)),
    stop: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}
