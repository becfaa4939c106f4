import { once } from 'node:events';
import http from 'node:http';

export type ReceivedCallback = { path: string; headers: Record<string, string>; body: string };

/** A client's server for callbacks, on this machine. Answers 204 unless a path is told otherwise. */
export async function callbackReceiver() {
  const received: ReceivedCallback[] = [];
  const answers = new Map<string, { status: number; headers?: Record<string, string> }[]>();
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '/';
    received.push({
      path,
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks).toString('utf8'),
    });
    const planned = answers.get(path) ?? [];
    const answer = (planned.length > 1 ? planned.shift() : planned[0]) ?? { status: 204 };
    response.writeHead(answer.status, answer.headers).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  let paths = 0;
  return {
    /** An address that nobody else uses. @param planned answers in order; the last one stays. */
    address(...planned: { status: number; headers?: Record<string, string> }[]): string {
      paths += 1;
      const path = `/callbacks/${paths}`;
      if (planned.length > 0) answers.set(path, planned);
      return origin + path;
    },
    at: (address: string): ReceivedCallback[] => received.filter(({ path }) => origin + path === address),
    typesAt: (address: string): string[] =>
      received.filter(({ path }) => origin + path === address).map(({ body }) => String(JSON.parse(body).type)),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
