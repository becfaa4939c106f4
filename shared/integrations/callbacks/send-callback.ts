import { lookup as systemLookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { checkCallbackAddress, hostOf, isLoopbackHost, isPublicAddress } from '../../domain/calls/callback-address.ts';
import { readRetryAfter } from '../http/retry-after.ts';

/** One attempt to notify. */
export type Callback = {
  url: string;
  /** The same over all attempts, so that the receiver can drop repeats. Without dots: they separate what is signed. */
  webhookId: string;
  /** Of this attempt. */
  timestamp: Date;
  /** Sent as it is, byte for byte what is signed. */
  body: string;
  /** `whsec_…`; two while a secret is being replaced, so that the receiver may hold either. */
  secrets: readonly [string, ...string[]];
};

export type SendCallbackOptions = {
  /** The local stage: loopback literals and `localhost` count as public. */
  allowLoopback: boolean;
  /** Name lookup, TCP and TLS together. */
  connectTimeoutMs?: number;
  /** All of it, to the end of the answer. */
  totalTimeoutMs?: number;
  /** Resolves a name to all its addresses, IPv4 and IPv6; the system's by default. */
  lookup?: (name: string) => Promise<{ address: string }[]>;
};

/**
 * `answered`: there was a status, whatever it says. `failed`: there was none. No reason contains the path or the query of the URL,
 * nor anything that the receiver sent or DNS told.
 */
export type CallbackOutcome =
  | { kind: 'answered'; status: number; retryAfterSeconds?: number }
  | { kind: 'refused_address'; reason: string }
  | { kind: 'failed'; reason: string };

type Answered = Extract<CallbackOutcome, { kind: 'answered' }>;
type Failed = Extract<CallbackOutcome, { kind: 'failed' }>;
type Limits = { connectMs: number; totalMs: number };

const LONGEST_ANSWER_BYTES = 64 * 1024;

/** How long one of several addresses may take before the next is tried (RFC 8305); node's own 250 ms are short between continents. */
const NEXT_ADDRESS_AFTER_MS = 1000;

/**
 * Posts one notification, signed by Standard Webhooks (symmetric, v1), and never to an address inside our network: the name is
 * resolved once, all its addresses must be public, and the socket gets exactly these, so a DNS answer that changes
 * afterwards changes nothing (OWASP SSRF Prevention Cheat Sheet, DNS pinning). No redirects, no connection shared between calls, the body
 * of the answer is dropped.
 * @returns what came of it, within `totalTimeoutMs`. @throws only for our own faults, e.g. a secret that is none.
 */
export async function sendCallback(
  callback: Callback,
  { allowLoopback, connectTimeoutMs = 3000, totalTimeoutMs = 10_000, lookup = resolveAll }: SendCallbackOptions,
): Promise<CallbackOutcome> {
  const startedAt = performance.now();
  const headers = signedHeaders(callback);
  // Again, though it was checked at registration: the rules may have grown since.
  const checked = checkCallbackAddress(callback.url, { allowLoopback });
  if (!checked.ok) return { kind: 'refused_address', reason: checked.reason };
  const url = new URL(checked.url);

  const connectMs = Math.min(connectTimeoutMs, totalTimeoutMs);
  const addresses = await addressesOf(hostOf(url), lookup, connectMs);
  if ('kind' in addresses) return addresses;
  // Also on the local stage, a name may not stand for this machine unless it says so.
  const rules = { allowLoopback: allowLoopback && isLoopbackHost(hostOf(url)) };
  if (!addresses.every((address) => isPublicAddress(address, rules))) {
    return { kind: 'refused_address', reason: 'must not resolve to a private or reserved address' };
  }

  const spentMs = performance.now() - startedAt;
  return post(url, addresses, headers, callback, { connectMs: connectMs - spentMs, totalMs: totalTimeoutMs - spentMs });
}

function signedHeaders({ webhookId, timestamp, body, secrets }: Callback): Record<string, string | number> {
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'voice-assistant-calling-service/1',
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(webhookId, timestamp, body)).join(' '),
  };
}

const resolveAll = (name: string): Promise<{ address: string }[]> => systemLookup(name, { all: true });

/** @param host a name or an IP address, which node does not look up and which therefore stands for itself. */
async function addressesOf(host: string, lookup: typeof resolveAll, withinMs: number): Promise<string[] | Failed> {
  if (isIP(host)) return [host];
  // The system's lookup cannot be canceled: it is left behind, and its late failure is swallowed by the race.
  const timeout = Promise.withResolvers<Failed>();
  const timer = setTimeout(() => timeout.resolve(failed(`name not resolved within ${withinMs} ms`)), withinMs);
  try {
    const found = await Promise.race([lookup(host), timeout.promise]);
    if (!Array.isArray(found)) return found;
    return found.length > 0 ? found.map(({ address }) => address) : failed('name has no address');
  } catch (error) {
    return failed(`name not resolved (${codeOf(error)})`);
  } finally {
    clearTimeout(timer);
  }
}

function post(
  url: URL,
  addresses: string[],
  headers: Record<string, string | number>,
  { body, timestamp }: Callback,
  { connectMs, totalMs }: Limits,
): Promise<CallbackOutcome> {
  return new Promise((resolve) => {
    const secure = url.protocol === 'https:';
    let answer: Answered | undefined;

    // The first to call it decides. Once a status is there, nothing that befalls the body takes it back.
    const settle = (failure: Failed): void => {
      clearTimeout(connectTimer);
      clearTimeout(totalTimer);
      resolve(answer ?? failure);
      request.destroy();
    };
    const takeAnswer = (response: IncomingMessage): void => {
      answer = answered(response, timestamp);
    };

    const request = (secure ? https : http).request({
      method: 'POST',
      hostname: hostOf(url),
      port: url.port,
      path: url.pathname + url.search,
      headers,
      agent: false, // of its own: neither a connection nor a TLS session passes from one client to another
      ...connectOnlyTo(addresses),
    });
    const connectTimer = setTimeout(() => settle(failed('no connection in time')), connectMs);
    const totalTimer = setTimeout(() => settle(failed('no answer in time')), totalMs);

    request.once('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(connectTimer));
    });
    request.once('response', (response) => {
      takeAnswer(response);
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > LONGEST_ANSWER_BYTES) settle(failed('answer too long'));
      });
      response.on('error', (error) => settle(failed(codeOf(error))));
      response.once('end', () => settle(failed('no answer')));
    });
    request.once('upgrade', (response) => {
      takeAnswer(response); // 101 is an answer like another; without this node would drop it
      settle(failed('no answer'));
    });
    request.on('error', (error) => settle(failed(codeOf(error))));
    request.end(body);
  });
}

/** Socket options with a lookup that knows these addresses only. `autoSelectFamily` makes node ask for all and try one after the other. */
function connectOnlyTo(addresses: string[]) {
  const lookup: LookupFunction = (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  return { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS };
}

function answered(response: IncomingMessage, sentAt: Date): Answered {
  const retryAfterSeconds = readRetryAfter(response.headers['retry-after'], sentAt);
  const status = response.statusCode ?? 0;
  return retryAfterSeconds === undefined
    ? { kind: 'answered', status }
    : { kind: 'answered', status, retryAfterSeconds };
}

const failed = (reason: string): Failed => ({ kind: 'failed', reason });

/** The code alone: messages of node and OpenSSL quote what was sent or received. */
const codeOf = (error: unknown): string =>
  typeof error === 'object' && error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';
