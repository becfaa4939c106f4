// A default import: a bundle reads each named import at its start, and `SocketAddress` loads modules of its own.
import net from 'node:net';
import type { RequestAddresses } from './requester.ts';

/** Four bytes in decimal digits, each followed by a dot, except the last one. */
const IP_V4 = /^(?:(?:25[0-5]|(?:2[0-4]|1\d|[1-9])?\d)(?:\.(?!$)|$)){4}$/;

/**
 * Reads a request's origin. CloudFront appends its viewer's address to `X-Forwarded-For`, and API Gateway appends
 * `sourceIp` after it (docs/tracing.md, "Addresses"). All text before that is the client's own.
 * @param sourceIp the address of the connection's peer; undefined if the event names none
 * @param header `X-Forwarded-For`, as the function gets it
 */
export function requestAddresses(sourceIp: string | undefined, header = ''): RequestAddresses {
  const entries = header.split(',');
  const other = readAddress(sourceIp);
  let last = readAddress(entries.pop());
  if (other !== undefined && last === other) last = readAddress(entries.pop());
  return {
    ...(sourceIp !== undefined && { address: sourceIp }),
    ...(last !== undefined && last !== other && { forwarded_for: last }),
  };
}

/**
 * Reads an IP address. Node.js takes 4 ms to compile its expression for IPv6, so it is applied only to text with a
 * colon.
 * @returns one text for all spellings of an IPv6 address, so that proxies that spell it differently are compared;
 * undefined for text that is not an IP address, and for one with a zone (RFC 4007), which may be any word
 */
function readAddress(text = ''): string | undefined {
  const ip = text.trim();
  if (!ip.includes(':')) return IP_V4.test(ip) ? ip : undefined;
  return net.isIPv6(ip) && !ip.includes('%')
    ? new net.SocketAddress({ address: ip, family: 'ipv6' }).address
    : undefined;
}
