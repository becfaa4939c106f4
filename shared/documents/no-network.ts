import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { constants } from 'node:os';

/**
 * Disables the network in this process, against code that a document might smuggle in. Node.js 24 cannot do that
 * itself: `--permission` covers the network from Node.js 25 on. Import this file before everything else.
 *
 * All protocols of Node.js use a few native handles. From here on, the methods of these handles that reach other
 * programs fail. The permission model prevents this process from loading other handles (`process.binding`). Open
 * connections, such as the pipes to the parent, still work.
 */
type Prototype = Record<string, unknown>;

const refused = (): number => -constants.errno.EACCES;
const denied = () => Object.assign(new Error('the network is not allowed'), { code: 'EACCES' });

/**
 * Makes methods of a handle fail. @throws Error if this Node.js lacks one of the methods: the child must not start with
 * a network.
 */
function refuse(handle: unknown, methods: readonly string[]): void {
  const prototype = Object.getPrototypeOf(handle ?? {}) as Prototype;
  for (const method of methods) {
    if (typeof prototype[method] !== 'function') throw new Error(`Node.js has no ${method} to refuse`);
    Object.defineProperty(prototype, method, { value: refused, writable: false, configurable: false });
  }
}

/** Returns the native handle of an object, or of its only private state. */
function handleOf(object: object): unknown {
  const states = Object.getOwnPropertySymbols(object).map((symbol) => (object as Record<symbol, unknown>)[symbol]);
  const state = states.find((one) => typeof one === 'object' && one !== null && 'handle' in one);
  return (object as { _handle?: unknown })._handle ?? (state as { handle?: unknown } | undefined)?.handle;
}

const tcp = new net.Socket();
// Creates the handle. The connection would begin in the next turn of the event loop, after `destroy`.
tcp.connect({ host: '127.0.0.1', port: 1 });
refuse(handleOf(tcp), ['bind', 'bind6', 'connect', 'connect6', 'listen']);
tcp.destroy();

const udp = dgram.createSocket('udp4');
refuse(handleOf(udp), ['bind', 'bind6', 'connect', 'connect6', 'send', 'send6']);
udp.close();

refuse(handleOf(process.stdin), ['bind', 'connect', 'listen']);

const resolver = handleOf(new dns.Resolver());
const queries = Object.getOwnPropertyNames(Object.getPrototypeOf(resolver)).filter((name) => /^query[A-Z]/.test(name));
refuse(resolver, [...queries, 'getHostByAddr']);

// These are the only functions without a handle.
for (const name of ['lookup', 'lookupService'] as const) {
  const answer = (...given: unknown[]) => process.nextTick(given.at(-1) as (error: Error) => void, denied());
  Object.assign(dns, { [name]: answer });
  Object.assign(dns.promises, { [name]: () => Promise.reject(denied()) });
}
syncBuiltinESMExports();
