import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { movableClock } from '../clock.ts';
import { close, listen } from '../listening.ts';
import { accessDenied, accountsRoutes, oauthError } from './accounts-routes.ts';
import { type Answer, cutAnswer, flat, itemsAnswer, Problem, problems, vendorError, writeAnswer } from './answers.ts';
import { apiRoutes, namesIn, serveApi } from './api-routes.ts';
import { formFields, parsed, readText } from './body.ts';
import { serveControl } from './control-routes.ts';
import { type Fault, takeFault } from './faults.ts';
import { serveLeadPages } from './lead-pages.ts';
import { type Client, CrmBState, type SeenRequest, type Simulator } from './state.ts';

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

/** Ends a request without an answer. */
class Silence extends Error {
  readonly kind: 'none' | 'dropped';

  constructor(kind: 'none' | 'dropped') {
    super(kind);
    this.kind = kind;
  }
}

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
  const text = await readText(request);
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
  const { route, names } = routeOf(side, request.method ?? '', url.pathname);
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
    const late = await after(simulator, struck.by, answer);
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
  switch (fault?.kind) {
    case 'too-many-requests':
      throw problems.tooManyRequests();
    case 'server-error':
      throw problems.internalError(fault.status);
    case 'html':
      throw new Problem({ status: fault.status ?? 502, html: '<html><body><h1>Bad Gateway</h1></body></html>' });
    case 'invalid-token':
      throw problems.invalidToken();
    case 'item-error': {
      const wrapper = fault.route.endsWith('/watch') ? 'watch' : 'data';
      const result = vendorError(fault.error ?? 'INVALID_DATA', 'invalid data');
      throw new Problem(itemsAnswer(wrapper, [result], 201, fault.status ?? state.settings.itemErrorStatus));
    }
    case 'oauth-error':
      throw oauthError(state, fault.error ?? 'invalid_code', fault.status);
    case 'access-denied':
      throw accessDenied(state, fault.status);
    case 'hang':
      throw new Silence('none');
    case 'drop':
      throw new Silence('dropped');
    default:
  }
}

/** Faults that spoil the answer of work that was done. */
async function after({ state }: Simulator, fault: Fault | undefined, answer: Answer): Promise<Answer> {
  switch (fault?.kind) {
    case 'drop-after':
      throw new Silence('dropped');
    case 'hang-after':
      throw new Silence('none');
    case 'server-error-after':
      return problems.internalError(fault.status).answer;
    case 'slow': {
      const milliseconds = (1000 * (fault.seconds ?? 10)) / state.settings.speed;
      const waited = await sleep(milliseconds, true, { signal: state.gone.signal }).catch(() => false);
      if (!waited) throw new Silence('dropped');
      return answer;
    }
    default:
      return answer;
  }
}

function routeOf(
  side: SeenRequest['side'],
  method: string,
  path: string,
): { route: string; names: Record<string, string> } {
  for (const route of Object.keys(side === 'api' ? apiRoutes : accountsRoutes)) {
    const [wanted, pattern = ''] = route.split(' ');
    const names = wanted === method ? namesIn(pattern, path) : undefined;
    if (names) return { route, names };
  }
  return { route: 'unknown', names: {} };
}
