import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { HttpProblem, readJson, send } from './http.ts';
import { type Script, scriptSchema, scriptsSchema, settingsSchema } from './scripts.ts';
import type { HeldCall, ReceivedRequest, SentMessage, Simulator, SimulatorState } from './state.ts';
import type { VendorCall } from './vendor-call.ts';

/** A call as a test sees it. */
export type CallView = {
  id: string;
  number: string;
  attempt: number;
  behaviour: Script['behaviour'];
  rang: boolean;
  live: boolean;
  deleted: boolean;
  request: ReceivedRequest['body'];
  messages: SentMessage[];
  call: VendorCall;
};

/** Telling the simulator what to do, and asking what happened. Not part of the vendor's API. */
export async function serveControl(
  { state }: Simulator,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const [, resource, ...names] = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const number = url.searchParams.get('number');
  switch (`${request.method} ${resource}`) {
    case 'PUT scripts': {
      const scripts = parse(scriptsSchema, await readJson(request)).scripts;
      if (!names[0]) throw new HttpProblem(400, 'PUT /_simulator/scripts/{number}');
      state.setScripts(names[0], scripts);
      return send(response, 200, { scripts });
    }
    case 'PUT default-script': {
      const script = parse(scriptSchema, await readJson(request));
      state.setDefaultScript(script);
      return send(response, 200, script);
    }
    case 'PUT settings':
      Object.assign(state.settings, defined(parse(settingsSchema.partial(), await readJson(request))));
      return send(response, 200, state.settings);
    case 'GET settings':
      return send(response, 200, state.settings);
    case 'GET rings':
      return send(response, 200, number === null ? state.allRings() : { number, rings: state.rings(number) });
    case 'GET calls':
      return send(response, 200, { calls: state.calls.filter((held) => mine(held, number)).map(view) });
    case 'GET requests':
      return send(response, 200, { requests: state.requests.filter((received) => mine(received, number)) });
    case 'GET max-live':
      return send(response, 200, { maxLive: state.maxLive });
    case 'GET idle':
      return send(response, 200, { idle: isIdle(state) });
    case 'POST reset':
      state.reset();
      return send(response, 200, {});
    default:
      throw new HttpProblem(404, `Cannot ${request.method} ${url.pathname}`);
  }
}

const isIdle = (state: SimulatorState) => state.underWay.size === 0 && state.liveCount() === 0;

const mine = (item: { number: string }, number: string | null) => number === null || item.number === number;

function view({ call, request, number, attempt, script, rang, live, deleted, messages }: HeldCall): CallView {
  return { id: call.id, number, attempt, behaviour: script.behaviour, rang, live, deleted, request, messages, call };
}

function parse<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new HttpProblem(400, z.prettifyError(parsed.error));
  return parsed.data;
}

const defined = (value: object) => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
