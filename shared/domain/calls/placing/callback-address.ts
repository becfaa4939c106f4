import { BlockList, isIP } from 'node:net';

/** `allowLoopback` is for the local stage, where clients listen on the developer's machine. */
export type CallbackAddressRules = { allowLoopback: boolean };

/** `url` is the normalized address without fragment. `reason` completes the sentence "callback_url …" for clients. */
export type CallbackAddressVerdict = { ok: true; url: string } | { ok: false; reason: string };

const LONGEST_URL = 2048;
const LONGEST_NAME = 253;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;
const FIRST_UNPRIVILEGED_PORT = 1024;

/** Addresses that are not global unicast: IANA IPv4 Special-Purpose Address Registry (RFC 6890). */
const NOT_PUBLIC_IPV4: [network: string, prefix: number][] = [
  ['0.0.0.0', 8], // "this network", RFC 791
  ['10.0.0.0', 8], // private, RFC 1918
  ['100.64.0.0', 10], // carrier-grade NAT, RFC 6598
  ['127.0.0.0', 8], // loopback, RFC 1122
  ['168.63.129.16', 32], // Azure's host agent, which lives in public space
  ['169.254.0.0', 16], // link-local and cloud metadata, RFC 3927
  ['172.16.0.0', 12], // private, RFC 1918
  ['192.0.0.0', 24], // protocol assignments, RFC 6890
  ['192.0.2.0', 24], // documentation, RFC 5737
  ['192.31.196.0', 24], // AS112, RFC 7535
  ['192.52.193.0', 24], // AMT, RFC 7450
  ['192.88.99.0', 24], // 6to4 relays, RFC 7526
  ['192.168.0.0', 16], // private, RFC 1918
  ['192.175.48.0', 24], // AS112, RFC 7534
  ['198.18.0.0', 15], // benchmarks, RFC 2544
  ['198.51.100.0', 24], // documentation, RFC 5737
  ['203.0.113.0', 24], // documentation, RFC 5737
  ['224.0.0.0', 4], // multicast, RFC 5771
  ['240.0.0.0', 4], // reserved and broadcast, RFC 1112, RFC 919
];

/**
 * The only IPv6 space that IANA assigns for global unicast (RFC 4291). This refuses `::1`, `fc00::/7`, `fe80::/10`,
 * `ff00::/8`, SRv6 `5f00::/16` (RFC 9602), and addresses that embed an IPv4 address: mapped, compatible, NAT64
 * `64:ff9b::/96` (RFC 6052) and `64:ff9b:1::/48` (RFC 8215).
 */
const GLOBAL_UNICAST_IPV6: [network: string, prefix: number][] = [['2000::', 3]];

/** Exceptions within the global unicast space: IANA IPv6 Special-Purpose Address Registry (RFC 6890). */
const NOT_PUBLIC_IPV6: [network: string, prefix: number][] = [
  ['2001::', 23], // protocol assignments with Teredo (RFC 4380), benchmarks (RFC 5180), ORCHID (RFC 7343)
  ['2001:db8::', 32], // documentation, RFC 3849
  ['2002::', 16], // 6to4, RFC 3056: carries an IPv4 address
  ['2620:4f:8000::', 48], // AS112, RFC 7534
  ['3fff::', 20], // documentation, RFC 9637
];

const notPublicIpv4 = subnets('ipv4', NOT_PUBLIC_IPV4);
const globalUnicastIpv6 = subnets('ipv6', GLOBAL_UNICAST_IPV6);
const notPublicIpv6 = subnets('ipv6', NOT_PUBLIC_IPV6);
const loopbackIpv4 = subnets('ipv4', [['127.0.0.0', 8]]);

/**
 * Names that a private network may resolve differently: RFC 6761, RFC 6762 with its appendix G, RFC 8375, ICANN's
 * `.internal`, and Google's metadata host. `.test`, `.example` and `.invalid` are allowed, because documentation uses
 * them: public DNS does not resolve them, and a private address fails at connect.
 */
const SPECIAL_NAMES = new Set(
  'localhost localdomain local internal intranet private corp home lan arpa metadata.goog'.split(' '),
);

/** A DNS label of a host name. Some hosts use underscores. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Checks a callback address without DNS (OWASP, "Server-Side Request Forgery Prevention Cheat Sheet", case 2). Names
 * are resolved and checked at connect (`isPublicAddress`), because they may change in between. The WHATWG parser, which
 * also sends the request, normalizes every spelling of an IP address: decimal, octal, hex, short, percent-encoded.
 */
export function checkCallbackAddress(input: string, rules: CallbackAddressRules): CallbackAddressVerdict {
  if (input.length > LONGEST_URL) return refused(`must not be longer than ${LONGEST_URL} characters`);
  // Parsers disagree on these characters, and may read another host from them.
  if (/[^\x21-\uffff]|[\\\x7f]/.test(input))
    return refused('must not contain spaces, control characters or backslashes');
  if (!input.isWellFormed()) return refused('must not contain half a surrogate pair');
  if (!/^https?:\/\/[^/?#]/i.test(input)) return refused('must be an absolute https URL');
  if (/^[^/]+\/\/[^/?#]*@/.test(input)) return refused('must not contain a user name or password');

  const url = URL.parse(input);
  if (!url) return refused('is not a valid URL');
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  url.hash = '';
  if (url.href.length > LONGEST_URL) return refused(`must not be longer than ${LONGEST_URL} characters`);

  const host = hostOf(url);
  const loopback = rules.allowLoopback && isLoopbackHost(host);
  if (url.protocol !== 'https:' && !loopback) return refused('must be an https URL');
  if (!isAllowedPort(url)) return refused('must use port 443 or a port from 1024 to 65535');
  if (loopback) return { ok: true, url: url.href };
  if (isIP(host))
    return isPublicAddress(host, rules)
      ? { ok: true, url: url.href }
      : refused('must not be a private or reserved address');
  return isPublicName(host) ? { ok: true, url: url.href } : refused('must name a host on the public internet');
}

/**
 * Returns whether a callback may be sent to this IP address. Checked for every address of a name, right before
 * connecting.
 * @returns false for an address with a zone (RFC 4007), and for text that is not an IP address
 */
export function isPublicAddress(ip: string, rules: CallbackAddressRules): boolean {
  if (rules.allowLoopback && isLoopbackAddress(ip)) return true;
  const family = isIP(ip);
  if (family === 4) return !notPublicIpv4.check(ip, 'ipv4');
  return family === 6 && !ip.includes('%') && globalUnicastIpv6.check(ip, 'ipv6') && !notPublicIpv6.check(ip, 'ipv6');
}

/** Returns whether a host is `localhost` or a loopback literal. @param host see `hostOf`. */
export const isLoopbackHost = (host: string): boolean => host === 'localhost' || isLoopbackAddress(host);

/** Returns the host for DNS and sockets: an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/[[\]]/g, '');

/** Excludes the mapped form (`::ffff:127.0.0.1`), because no client uses it intentionally. */
const isLoopbackAddress = (ip: string): boolean => (isIP(ip) === 4 ? loopbackIpv4.check(ip, 'ipv4') : ip === '::1');

/**
 * Apart from 443, ports below 1024 belong to services such as SSH, mail, DNS and SMB. The service must not probe them
 * on a client's behalf. Ports from 1024 include the usual alternatives for HTTPS, such as 8443.
 */
function isAllowedPort(url: URL): boolean {
  const port = Number(url.port || (url.protocol === 'https:' ? HTTPS_PORT : HTTP_PORT));
  // Only a loopback host uses http.
  return port >= FIRST_UNPRIVILEGED_PORT || port === (url.protocol === 'https:' ? HTTPS_PORT : HTTP_PORT);
}

/** A single label is not public, because the resolver completes it from its search list. */
function isPublicName(name: string): boolean {
  const labels = name.split('.');
  if (name.length > LONGEST_NAME || labels.length < 2 || !labels.every((label) => LABEL.test(label))) return false;
  return !labels.some((_, at) => SPECIAL_NAMES.has(labels.slice(at).join('.')));
}

function subnets(family: 'ipv4' | 'ipv6', networks: [network: string, prefix: number][]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
}

const refused = (reason: string): CallbackAddressVerdict => ({ ok: false, reason });
