import { once } from 'node:events';
import http from 'node:http';

/** `hangs`: the server never answers. */
type PlannedAnswer = { status: number; headers?: Record<string, string> } | 'hangs';

export type ReceivedCallback = { path: string; headers: Record<string, string>; body: string };

/**
 * Starts a client's callback server on loopback. It answers 204 unless a path has planned answers.
 * @param port default: any free one
 */
export async function callbackReceiver(port = 0) {
  const received: ReceivedCallback[] = [];
  const plans = new Map<string, { type: string | undefined; answers: PlannedAnswer[] }>();
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '/';
    const body = Buffer.concat(chunks).toString('utf8');
    received.push({ path, headers: request.headers as Record<string, string>, body });
    const plan = plans.get(path);
    const isPlanned = plan !== undefined && (plan.type ?? JSON.parse(body).type) === JSON.parse(body).type;
    const planned = isPlanned ? plan.answers : [];
    const answer = (planned.length > 1 ? planned.shift() : planned[0]) ?? { status: 204 };
    if (answer === 'hangs') return;
    response.writeHead(answer.status, answer.headers).end();
  });
  server.listen(port, '127.0.0.1');
  // A test that fails before it stops the receiver must not keep its run from ending.
  server.unref();
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  let paths = 0;
  const newAddress = (type: string | undefined, answers: PlannedAnswer[]): string => {
    paths += 1;
    const path = `/callbacks/${paths}`;
    plans.set(path, { type, answers });
    return origin + path;
  };
  return {
    /** Returns an unused address. @param planned answers in order; the last one repeats. */
    address: (...planned: PlannedAnswer[]): string => newAddress(undefined, planned),
    /** Returns an address whose planned answers apply to one type of notification, because the order is not fixed. */
    addressFor: (type: string, ...planned: PlannedAnswer[]): string => newAddress(type, planned),
    at: (address: string): ReceivedCallback[] => received.filter(({ path }) => origin + path === address),
    typesAt: (address: string): string[] =>
      received.filter(({ path }) => origin + path === address).map(({ body }) => String(JSON.parse(body).type)),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
