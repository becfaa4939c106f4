import { lookup as systemLookup } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import {
  checkCallbackAddress,
  hostOf,
  isLoopbackHost,
  isPublicAddress,
} from '../../domain/calls/placing/callback-address.ts';
import { readRetryAfter } from '../http/retry-after.ts';

/** The request of one attempt. */
export type CallbackRequest = {
  url: string;
  /** The same in every attempt, so that the receiver can drop repeats. Has no dots: they separate the signed parts. */
  webhookId: string;
  /** The instant of this attempt. */
  timestamp: Date;
  /** Sent byte for byte as it is signed. */
  body: string;
  /** `whsec_…`; two while a secret is being rotated, so that the receiver may use either. */
  secrets: readonly [string, ...string[]];
};

export type SendCallbackOptions = {
  /** On the local stage, loopback literals and `localhost` count as public. */
  allowLoopback: boolean;
  /** Covers name resolution, TCP and TLS. */
  connectTimeoutMs?: number;
  /** Covers everything to the end of the answer. */
  totalTimeoutMs?: number;
  /** Resolves a name to all its addresses, IPv4 and IPv6; the system's by default. */
  lookup?: (name: string) => Promise<{ address: string }[]>;
};

/**
 * `answered`: the receiver sent a status; `failed`: it did not. No reason contains the path or the query of the URL, or
 * data from the receiver or from DNS.
 */
export type CallbackOutcome =
  | { kind: 'answered'; status: number; retryAfterSeconds?: number }
  | { kind: 'refused_address'; reason: string }
  | { kind: 'failed'; reason: string };

type Answered = Extract<CallbackOutcome, { kind: 'answered' }>;
type Failed = Extract<CallbackOutcome, { kind: 'failed' }>;
type Limits = { connectMs: number; totalMs: number };

const LONGEST_ANSWER_BYTES = 64 * 1024;

/**
 * The head start of an address before the next one is tried (RFC 8305). Node's default of 250 ms is too short between
 * continents.
 */
const NEXT_ADDRESS_AFTER_MS = 1000;

/**
 * Posts one notification, signed by Standard Webhooks (symmetric, v1). Never connects to an address inside our network:
 * it resolves the name once, requires all its addresses to be public, and gives exactly these to the socket, so that a
 * later DNS answer has no effect (OWASP SSRF Prevention Cheat Sheet, DNS pinning). Follows no redirects, shares no
 * connection between calls, and discards the body of the answer.
 * @returns the outcome, within `totalTimeoutMs` @throws only for faults of the service, such as a malformed secret
 */
export async function sendCallback(
  callback: CallbackRequest,
  { allowLoopback, connectTimeoutMs = 3000, totalTimeoutMs = 10_000, lookup = resolveAll }: SendCallbackOptions,
): Promise<CallbackOutcome> {
  const startedAt = performance.now();
  const headers = signedHeaders(callback);
  // The address was checked at registration, but the rules may have become stricter since.
  const checked = checkCallbackAddress(callback.url, { allowLoopback });
  if (!checked.ok) return { kind: 'refused_address', reason: checked.reason };
  const url = new URL(checked.url);

  const connectMs = Math.min(connectTimeoutMs, totalTimeoutMs);
  const addresses = await addressesOf(hostOf(url), lookup, connectMs);
  if ('kind' in addresses) return addresses;
  // On the local stage, too, only a loopback name may resolve to this machine.
  const rules = { allowLoopback: allowLoopback && isLoopbackHost(hostOf(url)) };
  if (!addresses.every((address) => isPublicAddress(address, rules))) {
    return { kind: 'refused_address', reason: 'must not resolve to a private or reserved address' };
  }

  const spentMs = performance.now() - startedAt;
  return post(url, addresses, headers, callback, { connectMs: connectMs - spentMs, totalMs: totalTimeoutMs - spentMs });
}

function signedHeaders({ webhookId, timestamp, body, secrets }: CallbackRequest): Record<string, string | number> {
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

/** @param host a name or an IP address. */
async function addressesOf(host: string, lookup: typeof resolveAll, withinMs: number): Promise<string[] | Failed> {
  if (isIP(host)) return [host];
  // The system's lookup cannot be canceled. The race ignores its late result or failure.
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
  { body, timestamp }: CallbackRequest,
  { connectMs, totalMs }: Limits,
): Promise<CallbackOutcome> {
  return new Promise((resolve) => {
    const secure = url.protocol === 'https:';
    let answer: Answered | undefined;

    // Only the first call has an effect. After a status has arrived, a failure of the body does not change the outcome.
    const settle = (outcome: Answered | Failed): void => {
      clearTimeout(connectTimer);
      clearTimeout(totalTimer);
      resolve(answer ?? outcome);
      request.destroy();
    };

    const request = (secure ? https : http).request({
      method: 'POST',
      hostname: hostOf(url),
      port: url.port,
      path: url.pathname + url.search,
      headers,
      agent: false, // No other client shares a connection or a TLS session with it.
      ...connectOnlyTo(addresses),
    });
    const connectTimer = setTimeout(() => settle(failed('no connection in time')), connectMs);
    const totalTimer = setTimeout(() => settle(failed('no answer in time')), totalMs);

    request.once('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(connectTimer));
    });
    request.once('response', (response) => {
      const arrived = answered(response, timestamp);
      answer = arrived;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > LONGEST_ANSWER_BYTES) settle(arrived);
      });
      response.on('error', () => settle(arrived));
      response.once('end', () => settle(arrived));
    });
    // 101 counts as an answer; without a listener Node.js drops it.
    request.once('upgrade', (response) => settle(answered(response, timestamp)));
    request.on('error', (error) => settle(failed(codeOf(error))));
    request.end(body);
  });
}

/** Socket options that resolve every name to these addresses. `autoSelectFamily` makes Node.js try them one by one. */
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

/** Returns only the code, because messages of Node.js and OpenSSL quote sent or received text. */
const codeOf = (error: unknown): string =>
  typeof error === 'object' && error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';
