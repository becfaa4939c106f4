import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Answer, cutAnswer, Problem, writeAnswer } from '../answer.ts';
import { formFields, parsed, readBytes } from '../body.ts';
import { movableClock } from '../clock.ts';
import { prevent, Silence, spoil, takeFault } from '../faults.ts';
import { close, listen } from '../listening.ts';
import { routeOf } from '../routing.ts';
import { accessDenied, accountsRoutes, oauthError } from './accounts-routes.ts';
import { flat, itemsAnswer, problems, vendorError } from './answers.ts';
import { apiRoutes, serveApi } from './api-routes.ts';
import { serveControl } from './control-routes.ts';
import type { Fault } from './faults.ts';
import { serveLeadPages } from './lead-pages.ts';
import { type Client, CrmBState, type SeenRequest, type Simulator } from './state.ts';

const maxBodyBytes = 5 * 1024 * 1024;

export const defaultClient: Client = { id: '1000.CRMBSIMULATORCLIENT', secret: 'crm-b-simulator-secret' };

export type CrmBSimulatorOptions = {
  /** Port of the API; a free one by default. */
  port?: number;
  /** Port of the accounts server, another origin; a free one by default. */
  accountsPort?: number;
  /** File with the seconds to add to the machine's clock. */
  clockFile?: string;
  /** Registered from the start; one that may redirect to any loopback address by default. */
  clients?: Client[];
  log?: (line: string) => void;
};

/** A request of the vendor's routes, read. */
export type Incoming = {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  route: string;
  names: Record<string, string>;
  text: string;
  /** Query and form together. */
  params: Record<string, string>;
  number: number;
  /** To be awaited before the work, once the token and the limits let it happen: the faults that prevent it. */
  beforeWork: () => Promise<void>;
};

/**
 * Starts a CRM that speaks the wire format of Zoho CRM v8 and its accounts server, on the loopback interface only.
 * Control routes lie under `/_simulator/` and pages for people under `/leads`, both on the API's origin.
 */
export async function startCrmBSimulator(
  options: CrmBSimulatorOptions = {},
): Promise<{ url: string; accountsUrl: string; stop(): Promise<void> }> {
  const state = new CrmBState(movableClock(options.clockFile), options.clients ?? [defaultClient]);
  const simulator: Simulator = { state, url: '', accountsUrl: '', log: options.log ?? (() => undefined) };
  const serving = (side: SeenRequest['side']) =>
    createServer((request, response) => {
      serve(simulator, side, request, response).catch((error: unknown) => {
        simulator.log(`${request.method} ${request.url}: ${error}`);
        request.socket.destroy();
      });
    });
  const api = serving('api');
  const accounts = serving('accounts');
  simulator.accountsUrl = await listen(accounts, options.accountsPort);
  simulator.url = await listen(api, options.port);
  return {
    url: simulator.url,
    accountsUrl: simulator.accountsUrl,
    async stop() {
      state.reset();
      await Promise.all([close(api), close(accounts)]);
    },
  };
}

async function serve(
  simulator: Simulator,
  side: SeenRequest['side'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', side === 'api' ? simulator.url : simulator.accountsUrl);
  const text = (await readBytes(request, maxBodyBytes))?.toString('utf8');
  if (text === undefined) return writeAnswer(response, problems.invalidBody().answer);
  if (side === 'api' && url.pathname.startsWith('/_simulator/'))
    return writeAnswer(response, await answered(simulator, () => serveControl(simulator, request, url, text)));
  if (side === 'api' && /^\/(leads(\/[^/]*)?)?$/.test(url.pathname))
    return writeAnswer(response, await answered(simulator, () => serveLeadPages(simulator, request, url, text)));
  await serveVendor(simulator, side, request, response, url, text);
}

async function serveVendor(
  simulator: Simulator,
  side: SeenRequest['side'],
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  text: string,
): Promise<void> {
  const { state } = simulator;
  const routes = Object.keys(side === 'api' ? apiRoutes : accountsRoutes);
  const { route, names } = routeOf(routes, request.method ?? '', url.pathname);
  const form = formFields(request.headers['content-type'], text);
  const seen: SeenRequest = {
    number: state.nextRequestNumber(),
    at: state.time(),
    side,
    method: request.method ?? '',
    path: url.pathname,
    route,
    query: Object.fromEntries(url.searchParams),
    body: Object.keys(form).length > 0 ? form : (parsed(text) ?? text),
    token: request.headers.authorization?.replace(/^\S+ /, '') ?? null,
    fault: null,
    answer: 'pending',
  };
  state.requests.push(seen);
  const struck: { by?: Fault | undefined } = {};
  const incoming: Incoming = {
    request,
    response,
    url,
    route,
    names,
    text,
    params: { ...seen.query, ...form },
    number: seen.number,
    beforeWork: async () => {
      struck.by = takeFault(state.faults, route, `${url.href} ${text}`);
      seen.fault = struck.by?.kind ?? null;
      before(simulator, struck.by);
    },
  };
  try {
    const answer = await answered(simulator, () => work(simulator, side, incoming));
    const { speed } = state.settings;
    const late = await spoil(struck.by, answer, { problems, speed, gone: state.gone.signal });
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

async function work(simulator: Simulator, side: SeenRequest['side'], incoming: Incoming): Promise<Answer> {
  if (side === 'api') return serveApi(simulator, incoming);
  const handle = accountsRoutes[incoming.route];
  if (!handle) {
    const known = Object.keys(accountsRoutes).some((name) => name.endsWith(` ${incoming.url.pathname}`));
    throw known ? oauthError(simulator.state, 'invalid_request', 400) : problems.invalidUrl();
  }
  await incoming.beforeWork();
  return handle(simulator, incoming);
}

/** The answer, also where it is a problem. */
async function answered({ log }: Simulator, ask: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Problem) return error.answer;
    if (error instanceof Silence) throw error;
    log(`simulator defect: ${error instanceof Error ? error.stack : error}`);
    return flat(500, 'SIMULATOR_DEFECT', String(error)).answer;
  }
}

/** Faults that prevent the work. */
function before({ state }: Simulator, fault: Fault | undefined): void {
  prevent(fault, problems);
  switch (fault?.kind) {
    case 'item-error': {
      const wrapper = fault.route.endsWith('/watch') ? 'watch' : 'data';
      const result = vendorError(fault.error ?? 'INVALID_DATA', 'invalid data');
      throw new Problem(itemsAnswer(wrapper, [result], 201, fault.status ?? state.settings.itemErrorStatus));
    }
    case 'oauth-error':
      throw oauthError(state, fault.error ?? 'invalid_code', fault.status);
    case 'access-denied':
      throw accessDenied(state, fault.status);
    default:
  }
}
