import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { type Answer, Problem, WithheldAnswer } from './answer.ts';

export type SimulatorEnv = { Bindings: HttpBindings };
export type SimulatorContext = Context<SimulatorEnv>;

/**
 * Creates an application whose handlers may throw a Problem or a WithheldAnswer.
 * @param defect answers internal errors in the vendor's form
 */
export function simulatorApp(log: (line: string) => void, defect: (message: string) => Answer): Hono<SimulatorEnv> {
  const app = new Hono<SimulatorEnv>();
  app.onError((error, context) => {
    if (error instanceof Problem) return reply(context, error.answer);
    if (error instanceof WithheldAnswer) return withholdAnswer(context, error);
    log(`simulator defect: ${error.stack}`);
    return reply(context, defect(String(error)));
  });
  return app;
}

export async function reply(context: SimulatorContext, answer: Answer): Promise<Response> {
  if (answer.isCut) return cut(context, answer);
  const { status, html, json, bytes, headers } = answer;
  const respond = (body: string | Uint8Array<ArrayBuffer> | null, type?: string) =>
    new Response(body, { status, headers: { ...(type && { 'content-type': type }), ...headers } });
  if (html !== undefined) return respond(String(await html), 'text/html; charset=utf-8');
  if (json !== undefined) return respond(JSON.stringify(json), 'application/json;charset=utf-8');
  return respond(bytes ?? null);
}

/** Calls `act` after the answer has ended; at once if the client has already left. */
export function afterAnswer({ env: { outgoing } }: SimulatorContext, act: () => void): void {
  if (outgoing.closed) act();
  else outgoing.once('close', act);
}

async function cut({ env: { outgoing } }: SimulatorContext, { status, html, json }: Answer): Promise<Response> {
  const body = Buffer.from(html === undefined ? JSON.stringify(json ?? {}) : String(await html));
  outgoing.writeHead(status, { 'content-type': 'application/json;charset=utf-8', 'content-length': body.length });
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  return RESPONSE_ALREADY_SENT;
}

/** Breaks the connection, or leaves it open until the client gives up. */
function withholdAnswer(
  { env: { incoming } }: SimulatorContext,
  { kind }: WithheldAnswer,
): Response | Promise<Response> {
  if (kind === 'none') return new Promise(() => undefined);
  incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}

type Matched<Route> =
  | { name: string; route: Route }
  /** No route matches; a route with another method may. */
  | { name: 'unknown'; route: undefined; isKnownPath: boolean };

/**
 * Registers a vendor's routes. If two match, the first serves the request.
 * @param routes by names such as `GET /crm/v8/Leads/{id}`.
 * @param serve answers every request, even if no route matches
 */
export function mountRoutes<Route>(
  app: Hono<SimulatorEnv>,
  routes: Record<string, Route>,
  serve: (context: SimulatorContext, matched: Matched<Route>) => Promise<Answer>,
): void {
  const patterns = new Set<string>();
  for (const [name, route] of Object.entries(routes)) {
    const [method = '', path = ''] = name.split(' ');
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    patterns.add(pattern);
    app.on(method, pattern, async (context) => reply(context, await serve(context, { name, route })));
  }
  const unknown = (isKnownPath: boolean) => async (context: SimulatorContext) =>
    reply(context, await serve(context, { name: 'unknown', route: undefined, isKnownPath }));
  for (const pattern of patterns) app.all(pattern, unknown(true));
  app.all('*', unknown(false));
}
