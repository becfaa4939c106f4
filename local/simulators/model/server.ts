import { createServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen } from '../listening.ts';
import { converse, readTexts } from './answer.ts';
import { controlServer } from './control-routes.ts';
import { type Fault, takeFault } from './faults.ts';
import { Problem, problems } from './problems.ts';
import { readRequest } from './request.ts';
import { ModelState, type SeenRequest } from './state.ts';

export type ModelSimulatorOptions = {
  /** A free one by default. */
  port?: number;
  controlPort?: number;
  log?: (line: string) => void;
};

/** Ends a request without an answer. */
class Silence extends Error {
  readonly kind: 'none' | 'dropped';

  constructor(kind: 'none' | 'dropped') {
    super(kind);
    this.kind = kind;
  }
}

/**
 * Starts a model that speaks the wire format of Amazon Bedrock's Converse over HTTP/2 without TLS, on the loopback interface
 * only. It understands nothing: it answers by plain rules from the transcript, and says so.
 * @returns `url` for AWS_ENDPOINT_URL_BEDROCK_RUNTIME, `controlUrl` for `modelControl`.
 */
export async function startModelSimulator({
  port = 0,
  controlPort,
  log = () => undefined,
}: ModelSimulatorOptions = {}): Promise<{
  url: string;
  controlUrl: string;
  stop(): Promise<void>;
}> {
  const state = new ModelState();
  const gone = new AbortController();
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer((request, response) => {
    serve(state, gone.signal, request, response)
      .then(log)
      .catch((error: unknown) => {
        log(`simulator defect: ${error instanceof Error ? error.stack : error}`);
        request.stream.session?.destroy();
      });
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    // A client that goes away is none of its business.
    session.on('error', () => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const control = controlServer(state);
  const controlUrl = await listen(control, controlPort);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    controlUrl,
    async stop() {
      gone.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      await Promise.all([closed, close(control)]);
    },
  };
}

/** @returns a line for the log, without what was said. */
async function serve(
  state: ModelState,
  gone: AbortSignal,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<string> {
  // A caller who gives up in the middle is no defect.
  request.stream.on('error', () => undefined);
  const body = await text(request).catch(() => '');
  const modelId = decodeURIComponent(/^\/model\/([^/]+)\/converse$/.exec(request.url)?.[1] ?? '');
  const seen = state.seen(modelId, parsed(body));
  try {
    if (request.method !== 'POST' || modelId === '') throw problems.unknownOperation();
    checkSignature(request.headers.authorization);
    const { status, answer } = await answerTo(state, gone, seen, body);
    send(response, status, answer);
    seen.answer = status;
  } catch (error) {
    if (error instanceof Problem) {
      const type = `${error.type}:http://internal.amazon.com/coral/com.amazon.bedrock/`;
      send(response, error.status, JSON.stringify({ message: error.message }), { 'x-amzn-errortype': type });
      seen.answer = error.status;
    } else if (error instanceof Silence) {
      seen.answer = error.kind;
      // 'none': the stream stays open until the caller gives up.
      if (error.kind === 'dropped') request.stream.session?.destroy();
    } else throw error;
  }
  return `${request.method} ${request.url} -> ${seen.answer}${seen.fault ? ` (${seen.fault})` : ''}`;
}

async function answerTo(
  state: ModelState,
  gone: AbortSignal,
  seen: SeenRequest,
  text: string,
): Promise<{ status: number; answer: string }> {
  const body = readRequest(seen.modelId, text);
  const read = readTexts(body);
  seen.transcript = read.transcript;
  const fault = takeFault(state.faults, read.transcript);
  seen.fault = fault?.kind ?? null;
  await prevent(fault, gone);
  if (fault?.kind === 'html') return { status: 502, answer: '<html><body><h1>Bad Gateway</h1></body></html>' };
  if (fault?.kind === 'no-output') return { status: 200, answer: '{"output":{}}' };
  const answer = JSON.stringify(converse(body, read, fault));
  return { status: 200, answer: fault?.kind === 'garbage' ? answer.slice(0, answer.length / 2) : answer };
}

/** Faults that come before an answer. */
async function prevent(fault: Fault | undefined, gone: AbortSignal): Promise<void> {
  switch (fault?.kind) {
    case 'throttle':
      throw problems.throttle();
    case 'quota':
      throw problems.quota();
    case 'access-denied':
      throw problems.accessDenied();
    case 'not-found':
      throw problems.notFound();
    case 'validation':
      throw problems.validation('Malformed input request, please reformat your input and try again.');
    case 'model-timeout':
      throw problems.modelTimeout();
    case 'model-error':
      throw problems.modelError();
    case 'model-not-ready':
      throw problems.modelNotReady();
    case 'server-error':
      throw problems.serverError();
    case 'unavailable':
      throw problems.unavailable();
    case 'hang':
      throw new Silence('none');
    case 'drop':
      throw new Silence('dropped');
    case 'slow':
      await sleep(1_000 * (fault.seconds ?? 1), undefined, { signal: gone }).catch(() => {
        throw new Silence('dropped');
      });
      break;
    default:
  }
}

/** The form of a signature and what it is for; whether it is right, the simulator cannot know. */
function checkSignature(authorization: string | undefined): void {
  if (!authorization?.startsWith('AWS4-HMAC-SHA256 ')) throw problems.unsigned();
  const scope = /Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/([a-z0-9-]+)\/aws4_request/.exec(authorization)?.[1];
  if (scope !== 'bedrock') throw problems.badSignature("Credential should be scoped to correct service: 'bedrock'.");
}

function send(response: Http2ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  if (response.stream.destroyed) return;
  const type = body.startsWith('<') ? 'text/html' : 'application/json';
  response.writeHead(status, { 'content-type': type, 'x-amzn-requestid': crypto.randomUUID(), ...headers });
  response.end(body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
