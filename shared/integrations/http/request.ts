import http from 'node:http';
import https from 'node:https';
import { pipeline, type Readable } from 'node:stream';

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: URL;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as a URL-encoded form. */
  form?: Record<string, string>;
  /** Sent unchanged. The exchange fails if the stream does not have `length` bytes. */
  stream?: { type: string; length: number; bytes: Readable };
  /** Milliseconds to establish the connection, TLS included. */
  connectTimeoutMs?: number;
  /** Milliseconds for the whole exchange. */
  totalTimeoutMs?: number;
  /** Maximum bytes of the answer. */
  maxBytes?: number;
};

export type HttpOutcome<Body> =
  | { kind: 'answered'; status: number; headers: http.IncomingHttpHeaders; body: Body }
  /** No connection was established, so the remote system has not received the request. */
  | { kind: 'not_sent'; reason: string }
  /** The request may have arrived; its outcome is unknown. */
  | { kind: 'no_answer'; reason: string };

/** The reason of an exchange that exceeded `totalTimeoutMs`: Node's code of an aborted request. */
export const TIMED_OUT = 'ABORT_ERR';

const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Sends one HTTP request. It is never repeated, and redirects are not followed. Connections are not reused: a
 * kept-alive connection that the remote side has just closed would turn a request that never arrived into an unknown
 * outcome.
 */
export async function request(options: HttpRequest): Promise<HttpOutcome<string>> {
  const signal = limitOf(options);
  const opened = await begin(options, signal);
  if (opened.kind !== 'answered') return opened;
  const { maxBytes = MAX_BYTES } = options;
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
    return { kind: 'no_answer', reason: signal.aborted ? TIMED_OUT : codeOf(error) };
  }
}

/** Works like `request`, but returns the body as a stream that the caller must read to its end or destroy. */
export const open = (options: HttpRequest): Promise<HttpOutcome<Readable>> => begin(options, limitOf(options));

const limitOf = ({ totalTimeoutMs = 10_000 }: HttpRequest): AbortSignal => AbortSignal.timeout(totalTimeoutMs);

function begin(options: HttpRequest, signal: AbortSignal): Promise<HttpOutcome<Readable>> {
  const { method, url, headers = {}, stream, connectTimeoutMs = 3_000 } = options;
  const payload = payloadOf(options);
  return new Promise((resolve) => {
    let connected = false;
    const isSecure = url.protocol === 'https:';
    const outgoing = (isSecure ? https : http).request(url, {
      method,
      agent: false,
      headers: {
        accept: 'application/json',
        ...(stream && { 'content-type': stream.type, 'content-length': String(stream.length) }),
        ...(payload && { 'content-type': payload.type, 'content-length': String(payload.bytes.length) }),
        ...headers,
      },
      signal,
    });
    const connecting = setTimeout(() => outgoing.destroy(new Error('connect timeout')), connectTimeoutMs);
    outgoing.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        connected = true;
        clearTimeout(connecting);
      }),
    );
    outgoing.on('response', (answer) => {
      // A socket that breaks before the body is read must not end the process.
      answer.on('error', () => undefined);
      resolve({ kind: 'answered', status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
    });
    // Without a listener an unexpected protocol switch would leak the socket.
    outgoing.on('upgrade', (_answer, socket) => {
      socket.destroy();
      resolve({ kind: 'no_answer', reason: 'protocol switched' });
    });
    const fail = (error: unknown) => {
      clearTimeout(connecting);
      resolve({ kind: connected ? 'no_answer' : 'not_sent', reason: codeOf(error) });
    };
    outgoing.on('error', fail);
    // The stream itself may fail. Failures of the socket have already resolved the promise.
    if (stream) pipeline(stream.bytes, outgoing, (error) => error && fail(error));
    else outgoing.end(payload?.bytes);
  });
}

function payloadOf({ json, form }: HttpRequest): { type: string; bytes: Buffer } | undefined {
  if (form) return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(`${new URLSearchParams(form)}`) };
  return json === undefined ? undefined : { type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) };
}

/** Returns an error code for logs instead of the message, which could contain an address or a body. */
function codeOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return message === 'connect timeout' ? 'connect timeout' : String(code ?? name);
}
