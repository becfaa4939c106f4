import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Answer, cutAnswer, Problem, writeAnswer } from '../answer.ts';
import { parsed, readBytes } from '../body.ts';
import { movableClock } from '../clock.ts';
import { crmBControl } from '../crm-b/control.ts';
import { prevent, Silence, spoil, takeFault } from '../faults.ts';
import { close, listen } from '../listening.ts';
import { routeOf } from '../routing.ts';
import { problems } from './answers.ts';
import { apiRoutes, serveApi } from './api-routes.ts';
import { type Part, readParts } from './attachments.ts';
import { serveControl } from './control-routes.ts';
import { type Fault, HelpDeskState, type SeenRequest, type Simulator } from './state.ts';
import { serveTicketPages } from './ticket-pages.ts';

export type HelpDeskSimulatorOptions = {
  /** A free one by default. */
  port?: number;
  /** File with the seconds to add to the machine's clock. */
  clockFile?: string;
  /**
   * Who may ask: the address of the CRM-B simulator, whose accounts server issues the access tokens, or what tells
   * of each token the grant that it stands for. It is asked at every request, so that an expired or revoked token is
   * refused at once.
   */
  grants: string | Simulator['grantOf'];
  log?: (line: string) => void;
};

/** A request of the vendor's routes, read. */
export type Incoming = {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  route: string;
  names: Record<string, string>;
  orgId: string | null;
  text: string;
  /** Of a multipart form. */
  parts: Part[] | undefined;
  /** The body was, so it was not kept. */
  isTooLarge: boolean;
  number: number;
  /** To be awaited before the work, once the token and the limits let it happen: the faults that prevent it. */
  beforeWork: () => Promise<void>;
};

/** Room for a form's boundaries and headers around the largest file. */
const formBytes = 65_536;

/**
 * Starts a help desk that speaks the wire format of Zoho Desk v1, on the loopback interface only. Control routes lie
 * under `/_simulator/` and pages for people under `/tickets`.
 */
export async function startHelpDeskSimulator(
  options: HelpDeskSimulatorOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { grants, port, clockFile, log = () => undefined } = options;
  const state = new HelpDeskState(movableClock(clockFile));
  const grantOf = typeof grants === 'string' ? crmBControl(grants).grantOf : grants;
  const simulator: Simulator = { state, url: '', grantOf, log };
  const server = createServer((request, response) => {
    serve(simulator, request, response).catch((error: unknown) => {
      log(`${request.method} ${request.url}: ${error}`);
      request.socket.destroy();
    });
  });
  simulator.url = await listen(server, port);
  return {
    url: simulator.url,
    async stop() {
      state.reset();
      await close(server);
    },
  };
}

async function serve(simulator: Simulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', simulator.url);
  const body = await readBytes(request, simulator.state.settings.attachmentBytes + formBytes);
  const text = () => body?.toString('utf8') ?? '';
  if (url.pathname.startsWith('/_simulator/'))
    return writeAnswer(response, await answered(simulator, () => serveControl(simulator, request, url, text())));
  if (/^\/(tickets(\/.*)?)?$/.test(url.pathname))
    return writeAnswer(response, await answered(simulator, () => serveTicketPages(simulator, request, url, text())));
  await serveVendor(simulator, request, response, url, body);
}

async function serveVendor(
  simulator: Simulator,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  body: Buffer | undefined,
): Promise<void> {
  const { state } = simulator;
  const { route, names } = routeOf(Object.keys(apiRoutes), request.method ?? '', url.pathname);
  const parts = body && (await readParts(request.headers['content-type'], body));
  const text = parts ? '' : (body?.toString('utf8') ?? '');
  const header = request.headers.orgid;
  const orgId = (typeof header === 'string' && header) || url.searchParams.get('orgId');
  const described = parts?.map(({ name, fileName, bytes }) => ({ name, fileName, size: bytes.length }));
  const seen: SeenRequest = {
    number: state.nextRequestNumber(),
    at: new Date(state.clock()).toISOString(),
    method: request.method ?? '',
    path: url.pathname,
    route,
    query: Object.fromEntries(url.searchParams),
    orgId,
    body: described ?? parsed(text) ?? text,
    fault: null,
    answer: 'pending',
  };
  state.requests.push(seen);
  const vendor = {
    ...problems,
    tooManyRequests: (seconds = state.settings.retryAfterSeconds) => problems.tooManyRequests(seconds),
  };
  const struck: { by?: Fault | undefined } = {};
  const incoming: Incoming = {
    request,
    response,
    url,
    route,
    names,
    orgId,
    text,
    parts,
    isTooLarge: body === undefined,
    number: seen.number,
    beforeWork: async () => {
      const said = [url.href, ...url.searchParams.values(), text, JSON.stringify(described)].join(' ');
      struck.by = takeFault(state.faults, route, said);
      seen.fault = struck.by?.kind ?? null;
      prevent(struck.by, vendor);
    },
  };
  try {
    const answer = await answered(simulator, () => serveApi(simulator, incoming));
    const late = await spoil(struck.by, answer, {
      problems: vendor,
      speed: state.settings.speed,
      gone: state.gone.signal,
    });
    seen.answer = late.status;
    if (struck.by?.kind === 'cut-after') cutAnswer(response, late);
    else writeAnswer(response, late);
  } catch (error) {
    if (!(error instanceof Silence)) throw error;
    seen.answer = error.kind;
    // 'none': the connection stays open until the caller gives up.
    if (error.kind === 'dropped') request.socket.destroy();
  }
  simulator.log(`${request.method} ${url.pathname} -> ${seen.answer}${struck.by ? ` (${struck.by.kind})` : ''}`);
}

/** The answer, also where it is a problem. */
async function answered({ log }: Simulator, ask: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Problem) return error.answer;
    if (error instanceof Silence) throw error;
    log(`simulator defect: ${error instanceof Error ? error.stack : error}`);
    return { status: 500, json: { errorCode: 'SIMULATOR_DEFECT', message: String(error) } };
  }
}
