import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FunctionName } from '../../../lib/functions.ts';

/**
 * `drop`: the request arrives, but its answer is lost. `drop-and-kill`: the worker is also killed before it can retry.
 * `kill-before`: the worker is killed during the request, which does not arrive.
 */
export type Fault = 'drop' | 'drop-and-kill' | 'kill-before';

export type Plan = {
  /** Counted from 1, since the plan was armed. */
  request: number;
  /** Counts only requests of this kind, as in `Armed.requests`. */
  what?: string;
  fault: Fault;
  /** Counts only requests for these calls and connections; undefined for all requests of the function. */
  ids?: readonly string[];
};

/** An armed plan. */
export type Armed = {
  /** The requests since then, in order: `dynamodb GetItem calls`, `voice POST /call`, … */
  readonly requests: readonly string[];
  /** The request that the fault struck, if any. */
  readonly struck: string | undefined;
  /** The process that the fault killed, if any. */
  readonly killed: number | undefined;
  disarm(): void;
};

type PlannedFault = Plan & {
  counted: number;
  requests: string[];
  struck: string | undefined;
  killed: number | undefined;
};
/** `isShared`: a connection stores the address, so that unwatched functions use it, too. */
type Upstream = { name: string; url: string; isShared?: boolean };
type InterceptionPoint = { upstream: Upstream; server: Server; url: string };
type Watched = {
  points: InterceptionPoint[];
  plannedFaults: Set<PlannedFault>;
  original: Record<string, string>;
  /** The last ids in each worker's requests, which name its current work. */
  inHand: Map<number, readonly string[]>;
};

/** The running service, as stack.ts and worker-processes.ts reach it. */
export type ProxiedStack = {
  environment: {
    emulator_url: string;
    simulators: Readonly<Record<'voice' | 'crm_b' | 'crm_b_accounts' | 'help_desk', string>>;
  };
  nothingIsUnderWay(): Promise<void>;
  variablesOf(name: FunctionName): Promise<Record<string, string>>;
  configure(name: FunctionName, variables: Record<string, string>): Promise<void>;
  workerBehind(name: FunctionName, socket: Socket): Promise<number | undefined>;
  killWorker(pid: number): void;
};

export type FaultProxy = ReturnType<typeof faultProxy>;

/** Upstreams keep idle connections for at least five seconds, so this side closes them first. */
const upstreams = new http.Agent({ keepAlive: true, timeout: 2_000 });

const IDS = /call_[0-9a-f]{32}|conn_[0-9a-f]{24}/g;

/**
 * Proxies the requests of functions to their upstreams: the emulator, the simulators, a callback receiver. Each pair of
 * function and upstream has its own listener, which identifies the sender. Requests and their signed Host header pass
 * unchanged.
 */
export function faultProxy({
  environment,
  nothingIsUnderWay,
  variablesOf,
  configure,
  workerBehind,
  killWorker,
}: ProxiedStack) {
  const watched = new Map<FunctionName, Watched>();

  const watchedOf = (name: FunctionName): Watched => {
    const found = watched.get(name);
    if (!found) throw new Error(`the proxy does not watch ${name}: call between() first`);
    return found;
  };

  async function through(name: FunctionName, upstream: Upstream): Promise<string> {
    const { points } = watchedOf(name);
    const known = points.find((point) => point.upstream.url === upstream.url);
    if (known) return known.url;
    const server = http.createServer((request, response) => {
      pass(name, upstream, request, response).catch(() => request.socket.destroy());
    });
    server.keepAliveTimeout = 75_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    points.push({ upstream, server, url });
    return url;
  }

  async function pass(name: FunctionName, upstream: Upstream, request: IncomingMessage, response: ServerResponse) {
    const { socket } = request;
    const body = await bytesOf(request);
    // Finding a worker takes milliseconds, and only a planned fault needs it.
    const worker = watchedOf(name).plannedFaults.size > 0 ? await workerOf(name, socket) : undefined;
    const ids = idsOf(name, worker, request, body);
    const isOurs = !upstream.isShared || worker !== undefined;
    const planned = isOurs ? trigger(name, ids, describeRequest(upstream, request, body)) : undefined;
    if (planned?.fault === 'kill-before') {
      planned.killed = await kill(name, worker);
      socket.destroy();
      return;
    }
    const answering = forward(upstream, request, body);
    if (planned) {
      // Waits for the answer even if the sender no longer waits: only then has the upstream certainly processed the
      // request.
      await answering.answer.then(bytesOf);
      if (planned.fault === 'drop-and-kill') planned.killed = await kill(name, worker);
      socket.destroy();
      return;
    }
    // If the worker is gone or has timed out, the upstream request no longer matters.
    response.once('close', answering.abandon);
    const answer = await answering.answer;
    response.writeHead(answer.statusCode ?? 502, await headersOf(name, answer));
    answer.on('error', () => socket.destroy());
    answer.pipe(response);
  }

  /** Finds the ids of a request. A request without an id belongs to its worker's current work. */
  function idsOf(name: FunctionName, worker: number | undefined, request: IncomingMessage, body: Buffer) {
    const { inHand } = watchedOf(name);
    const found = `${request.url} ${body.subarray(0, 100_000)}`.match(IDS);
    if (worker === undefined) return found ?? [];
    if (found) inHand.set(worker, found);
    return inHand.get(worker) ?? [];
  }

  /** Counts a request. @returns the planned fault that it triggers, if any */
  function trigger(name: FunctionName, ids: readonly string[], what: string): PlannedFault | undefined {
    let triggered: PlannedFault | undefined;
    for (const planned of watchedOf(name).plannedFaults) {
      if (planned.ids && !planned.ids.some((id) => ids.includes(id))) continue;
      planned.requests.push(what);
      if (triggered || planned.struck || (planned.what && planned.what !== what)) continue;
      planned.counted += 1;
      if (planned.counted !== planned.request) continue;
      planned.struck = what;
      triggered = planned;
    }
    return triggered;
  }

  function forward({ url }: Upstream, request: IncomingMessage, body: Buffer) {
    const forwarded = http.request(new URL(request.url ?? '/', url), {
      method: request.method,
      headers: withoutConnection(request.rawHeaders) as never,
      agent: upstreams,
      setHost: false,
    });
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      forwarded.on('response', resolve);
      forwarded.on('error', reject);
    });
    forwarded.end(body);
    return { answer, abandon: () => void forwarded.destroy() };
  }

  /** Sends redirects to other loopback origins through the proxy, too. */
  async function headersOf(name: FunctionName, answer: IncomingMessage) {
    const { connection: _connection, 'keep-alive': _keepAlive, ...headers } = answer.headers;
    const { location } = headers;
    if (!location?.startsWith('http://127.0.0.1:')) return headers;
    const { origin } = new URL(location);
    return { ...headers, location: location.replace(origin, await through(name, { name: 'storage', url: origin })) };
  }

  async function kill(name: FunctionName, worker: number | undefined): Promise<number> {
    if (!worker) throw new Error(`no worker of ${name} was found behind its request`);
    killWorker(worker);
    watchedOf(name).inHand.delete(worker);
    return worker;
  }

  const workers = new WeakMap<Socket, Promise<number | undefined>>();
  function workerOf(name: FunctionName, socket: Socket): Promise<number | undefined> {
    const known = workers.get(socket) ?? workerBehind(name, socket);
    workers.set(socket, known);
    return known;
  }

  const { voice, crm_b, crm_b_accounts, help_desk } = environment.simulators;
  /** The hosts of a grant with which the function reaches CRM-B through the proxy. */
  const crmBThrough = async (name: FunctionName) => ({
    accounts_server: await through(name, { name: 'crm-b accounts', url: crm_b_accounts, isShared: true }),
    api_domain: await through(name, { name: 'crm-b', url: crm_b, isShared: true }),
  });

  async function watch(name: FunctionName): Promise<void> {
    const original = await variablesOf(name);
    watched.set(name, { points: [], plannedFaults: new Set(), original, inHand: new Map() });
    const emulator = await through(name, { name: 'aws', url: environment.emulator_url });
    // The SDK sends to the queue's URL, whatever the endpoint is.
    const redirected = Object.entries(original).map(([variable, value]) => [
      variable,
      variable.endsWith('_QUEUE_URL') ? value.replace(new URL(value).origin, emulator) : value,
    ]);
    const { accounts_server, api_domain } = await crmBThrough(name);
    await configure(name, {
      ...Object.fromEntries(redirected),
      AWS_ENDPOINT_URL: emulator,
      ...(original.VOICE_API_URL && { VOICE_API_URL: await through(name, { name: 'voice', url: voice }) }),
      ...(original.ZOHO_ACCOUNTS_URL && { ZOHO_ACCOUNTS_URL: accounts_server, CRM_B_API_URL: api_domain }),
      ...(original.HELP_DESK_API_URL && {
        HELP_DESK_API_URL: await through(name, { name: 'help-desk', url: help_desk }),
      }),
    });
  }

  return {
    /** Starts to watch functions. This restarts their workers, so no work may be under way. */
    async between(...names: FunctionName[]): Promise<void> {
      await nothingIsUnderWay();
      await Promise.all(names.filter((name) => !watched.has(name)).map(watch));
    },

    crmBThrough,

    /** Returns an address that forwards to `url` and counts as the function's. */
    through: (name: FunctionName, url: string, as: string): Promise<string> => through(name, { name: as, url }),

    /** Arms a fault for a future request. Without a fault, requests are only counted. */
    arm(name: FunctionName, plan: Partial<Plan> = {}): Armed {
      const { plannedFaults } = watchedOf(name);
      const planned: PlannedFault = {
        request: Number.POSITIVE_INFINITY,
        fault: 'drop',
        ...plan,
        counted: 0,
        requests: [],
        struck: undefined,
        killed: undefined,
      };
      plannedFaults.add(planned);
      return Object.assign(planned, { disarm: () => void plannedFaults.delete(planned) });
    },

    /** Removes the proxy from every function. */
    async remove(): Promise<void> {
      await nothingIsUnderWay();
      await Promise.all([...watched].map(([name, { original }]) => configure(name, original)));
      for (const { server } of [...watched.values()].flatMap(({ points }) => points)) {
        server.close();
        server.closeAllConnections();
      }
      watched.clear();
    },
  };
}

/** Uses separate connections for each side: a kept-alive one that the other side closes would be an unplanned fault. */
function withoutConnection(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (name.toLowerCase() !== 'connection') kept.push(name, value);
  }
  return kept;
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const NAMED = /"(?:TableName":"calling-service-local-|SecretId":"calling-service\/local\/)([a-z-]+)"/g;

/** Describes a request in words that are stable across runs. */
function describeRequest({ name }: Upstream, { method, url = '/', headers }: IncomingMessage, body: Buffer): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') {
    const [service = '', operation = ''] = target.split('.');
    const things = new Set([...body.toString('utf8').matchAll(NAMED)].map(([, thing]) => thing));
    return [service.replace(/_\d+$/, ''), operation, ...things].join(' ');
  }
  const path = (url.split('?')[0] ?? '').replace(
    /call_[0-9a-f]{32}(-\d{12}|\.[0-9a-f]{32})?|org[0-9a-f]{16}|[0-9a-f-]{36}|\b\d{15,18}\b|\?.*/g,
    '…',
  );
  return `${name} ${method} ${path}`;
}
