import http from 'node:http';
import https from 'node:https';
import { pipeline, type Readable } from 'node:stream';

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: URL;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as an HTML form sends it. */
  form?: Record<string, string>;
  /** Sent as it comes: `length` bytes, else the exchange is broken off. */
  stream?: { type: string; length: number; bytes: Readable };
  /** Milliseconds to establish the connection, TLS included. */
  connectTimeoutMs?: number;
  /** Milliseconds for the whole exchange. */
  totalTimeoutMs?: number;
  /** Bytes of the answer that are read at most. */
  maxBytes?: number;
};

export type HttpOutcome<Body> =
  | { kind: 'answered'; status: number; headers: http.IncomingHttpHeaders; body: Body }
  /** No connection was established: the remote system has seen nothing of the request. */
  | { kind: 'not_sent'; reason: string }
  /** The request may have arrived; what came of it is not known. */
  | { kind: 'no_answer'; reason: string };

const MOST_BYTES = 8 * 1024 * 1024;

/**
 * One HTTP request: never repeated, no redirect followed, every wait bounded. The connection is not reused, because a
 * kept-alive connection that the other side has just closed would make an unknown outcome out of a request never seen.
 */
export async function request(options: HttpRequest): Promise<HttpOutcome<string>> {
  const opened = await open(options);
  if (opened.kind !== 'answered') return opened;
  const { maxBytes = MOST_BYTES } = options;
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of opened.body) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) return { kind: 'no_answer', reason: 'answer too large' };
      chunks.push(chunk as Buffer);
    }
    return { ...opened, body: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    return { kind: 'no_answer', reason: codeOf(error) };
  }
}

/** Like `request`, with the answer's body as a stream that the caller must read to its end or destroy. */
export function open(options: HttpRequest): Promise<HttpOutcome<Readable>> {
  const { method, url, headers = {}, stream, connectTimeoutMs = 3_000, totalTimeoutMs = 10_000 } = options;
  const payload = payloadOf(options);
  return new Promise((resolve) => {
    let connected = false;
    const isSecure = url.protocol === 'https:';
    const sent = (isSecure ? https : http).request(url, {
      method,
      agent: false,
      headers: {
        accept: 'application/json',
        ...(stream && { 'content-type': stream.type, 'content-length': String(stream.length) }),
        ...(payload && { 'content-type': payload.type, 'content-length': String(payload.bytes.length) }),
        ...headers,
      },
      signal: AbortSignal.timeout(totalTimeoutMs),
    });
    const connecting = setTimeout(() => sent.destroy(new Error('connect timeout')), connectTimeoutMs);
    sent.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        connected = true;
        clearTimeout(connecting);
      }),
    );
    sent.on('response', (answer) => {
      // A socket that breaks while nobody reads yet must not end the process.
      answer.on('error', () => undefined);
      resolve({ kind: 'answered', status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
    });
    // Nobody asked for another protocol; without a listener the socket would be left to itself.
    sent.on('upgrade', (_answer, socket) => {
      socket.destroy();
      resolve({ kind: 'no_answer', reason: 'protocol switched' });
    });
    const fail = (error: unknown) => {
      clearTimeout(connecting);
      resolve({ kind: connected ? 'no_answer' : 'not_sent', reason: codeOf(error) });
    };
    sent.on('error', fail);
    // What is to be sent may fail by itself; whatever happens on the way has been told already.
    if (stream) pipeline(stream.bytes, sent, (error) => error && fail(error));
    else sent.end(payload?.bytes);
  });
}

function payloadOf({ json, form }: HttpRequest): { type: string; bytes: Buffer } | undefined {
  if (form) return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(`${new URLSearchParams(form)}`) };
  return json === undefined ? undefined : { type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) };
}

/** A word for the log: never a message that could carry an address or a body. */
function codeOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return message === 'connect timeout' ? 'connect timeout' : String(code ?? name);
}
