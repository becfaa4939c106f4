import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { checkCallbackAddress, isPublicAddress } from '../../../../../shared/domain/calls/placing/callback-address.ts';
import { anyText } from '../../../../support/values/any-text.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const published = { allowLoopback: false };
const local = { allowLoopback: true };
const isAccepted = (url: string, rules = published) => checkCallbackAddress(url, rules).ok;
const reasonFor = (url: string, rules = published) => {
  const verdict = checkCallbackAddress(url, rules);
  return verdict.ok ? undefined : verdict.reason;
};

/** @returns the words of a text */
const words = (text: string) => text.trim().split(/\s+/);

const refusedHosts = Object.entries({
  'loopback, and its spellings': words(`
    127.0.0.1 127.0.0.1. 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0X7F.1 0x7f.0x0.0x0.0x1 017700000001
    0177.0.0.01 00000177.0.0.1 %31%32%37.0.0.1 127%2e0%2e0%2e1 ①②⑦.⓪.⓪.① 127。0。0。1 \uff11\uff12\uff17.\uff10.\uff10.\uff11
    [::1] [0:0:0:0:0:0:0:1] [0000:0000::0001]`),
  'unspecified and "this network"': words('0.0.0.0 0 0x0 0.1.2.3 [::] [0::0]'),
  private: words(`
    10.0.0.1 10.255.255.255 012.0.0.1 167772161 172.16.0.1 172.31.255.254 0xac100001 192.168.0.1 192.168.1
    0300.0250.0.1 3232235521 [fc00::1] [fd00:ec2::254] [fdff:ffff::1]`),
  'link-local and cloud metadata': words(`
    169.254.169.254 0xA9FEA9FE 2852039166 0251.0376.0251.0376 169.254.43518 169.254.170.2 100.100.100.200
    0xa9.0xfe.0xa9.0xfe 0251.254.0xa9fe 169.254.169.254. 169.254.169.123 169.254.169.253 169.254.170.23 169.254.0.23
    168.63.129.16 192.0.0.192 [fe80::1] [febf::1] [fec0::1] [fd00:ec2::23] [fd00:ec2::253] [fd20:ce::254]`),
  'carrier-grade NAT': words('100.64.0.1 100.64.0.0 100.127.255.255 0x64400001'),
  'multicast, reserved and broadcast': words(`
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 4294967295 [ff02::2] [ff0e::1] [4000::1] [100::1]`),
  'documentation and benchmarks': words(`
    192.0.2.1 198.51.100.7 203.0.113.255 198.18.0.1 198.19.255.255 [2001:db8::1] [3fff::1] [3fff:fff::1] [2001:2::1]`),
  'relays, protocol assignments and sinks': words('192.0.0.8 192.88.99.1 192.31.196.1 192.52.193.1 192.175.48.1'),
  'IPv6 with an IPv4 address inside, even a public one': words(`
    [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:a9fe:a9fe] [::ffff:8.8.8.8] [::127.0.0.1] [::a00:1]
    [::ffff:0:10.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::1] [64:ff9b:1:ffff::10.0.0.1]
    [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [64:ff9b::169.254.169.254] [2002:a9fe:a9fe::] [2002:c0a8:101::1]
    [2002:7f00:1::] [2002:a00:1::1] [2001::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2]`),
  'IPv6 for routing and identifiers': words('[5f00::1] [2001:20::1] [2620:4f:8000::1]'),
  'zone ids': words('[fe80::1%25eth0] [fe80::1%eth0] [2600::1%251] [::1%25lo]'),
  'numbers that are not addresses': words('256.1.1.1 1.2.3.4.5 4294967296 0x100000000 1.2.3.09'),
  'special names': words(`
    localhost LocalHost localhost. localhost.. loc%61lhost ⓛocalhost local\u00adhost app.localhost
    localhost.localdomain printer.local printer.local. metadata.google.internal instance-data.ec2.internal
    ip-10-0-0-1.ap-south-1.compute.internal metadata.goog router.home.arpa 1.0.0.127.in-addr.arpa nas.lan wiki.corp
    wiki.intranet nas.home db.private metadata.azure.internal host.docker.internal gateway.docker.internal
    kubernetes.default.svc.cluster.local 254.169.254.169.in-addr.arpa LOCALHOST.LOCALDOMAIN metadata.google.internal.`),
  'single-label names': words('metadata instance-data intranet com com.'),
  'names that DNS does not have': [
    ...words('a..example.com .example.com -a.example.com a-.example.com a!b.example.com'),
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(125)}comm`,
  ],
}).flatMap(([kind, hosts]) => hosts.map((host) => [kind, host] as const));

const publicHosts = words(`
  ${'a.'.repeat(125)}com ${'a'.repeat(63)}.com a.example.com
  example.com hooks.example.co.in EXAMPLE.com. client.test client.example hook_1.example.com localhost.example.com
  internal.example.com local.example.com notlocalhost.com 10.example.com xn--e1afmkfd.com пример.com
  1.1.1.1 8.8.8.8 134744072 9.255.255.255 11.0.0.0 100.63.255.254 100.128.0.1 126.255.255.255 128.0.0.1
  169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255
  198.20.0.0 223.255.255.255
  [2606:4700:4700::1111] [2001:200::1] [2001:4860:4860::8888] [2003::1] [2a00:1450::1]`);

describe('checkCallbackAddress', () => {
  it('is tested with 150 hosts that it must refuse', () => {
    expect(new Set(refusedHosts.map(([, host]) => host)).size).toBeGreaterThanOrEqual(150);
  });

  it.each(refusedHosts)('refuses %s: %s', (_kind, host) => {
    expect(isAccepted(`https://${host}/hook`)).toBe(false);
    expect(isAccepted(`https://${host}:8443/hook?a=b`)).toBe(false);
  });

  it.each(publicHosts)('accepts %s', (host) => {
    expect(reasonFor(`https://${host}/hook`)).toBeUndefined();
    expect(reasonFor(`https://${host}:8443/hook?a=b`)).toBeUndefined();
  });

  it.each([
    ['no URL', 'hook'],
    ['no host', 'https:///hook'],
    ['http', 'http://example.com/'],
    ['another scheme', 'ftp://example.com/'],
    ['a scheme without host', 'javascript:alert(1)'],
    ['a file', 'file:///etc/passwd'],
    ['a host without scheme', '//example.com/'],
    ['missing slashes, which a browser forgives', 'https:example.com'],
    ['one slash, which a browser forgives', 'https:/example.com'],
    ['more slashes, which a browser forgives', 'https:////example.com'],
    ['a backslash, which a browser takes for a slash', 'https://example.com\\@10.0.0.1/'],
    ['a backslash in the path', 'https://example.com/a\\b'],
    ['a DEL', 'https://example.com/\x7f'],
    ['a leading space', ' https://example.com/'],
    ['a trailing newline', 'https://example.com/\n'],
    ['a tab, which a browser drops', 'https://exam\tple.com/'],
    ['a NUL', 'https://example.com/\0'],
    ['user info', 'https://user:password@example.com/'],
    ['a host as user', 'https://example.com@8.8.8.8/'],
    ['empty user info', 'https://@example.com/'],
    ['a name as user of an address of the cloud', 'https://example.com@169.254.169.254/'],
    ['a name and a port as user', 'https://example.com:443@10.0.0.1/'],
    ['an address before a fragment that looks like a host', 'https://10.0.0.1#@example.com/'],
    ['an address before a query that looks like a host', 'https://10.0.0.1?@example.com/'],
    ['an encoded line break in the host', 'https://example.com%0d%0ahost:10.0.0.1/'],
    ['an encoded NUL in the host', 'https://127.0.0.1%00.example.com/'],
    ['an encoded slash in the host', 'https://10.0.0.1%2f.example.com/'],
    ['gopher, which speaks any protocol', 'gopher://127.0.0.1:6379/_FLUSHALL'],
    ['a data URL', 'data:text/plain,x'],
    ['an encoded at sign in the host', 'https://example.com%408.8.8.8/'],
    ['port 0', 'https://example.com:0/'],
    ['the port of SSH', 'https://example.com:22/'],
    ['the port of mail', 'https://example.com:25/'],
    ['the port of http', 'https://example.com:80/'],
    ['the last privileged port', 'https://example.com:1023/'],
    ['a port above 65535', 'https://example.com:65536/'],
    ['an empty text', ''],
  ])('refuses %s', (_what, url) => {
    expect(reasonFor(url)).toMatch(/^(must|is) /);
  });

  it.each([
    ['port 443', 'https://example.com:443/'],
    ['the first unprivileged port', 'https://example.com:1024/'],
    ['the last port', 'https://example.com:65535/'],
    ['an at sign in path and query', 'https://example.com/@me?to=a@b.com'],
    ['an at sign behind two slashes', 'https://example.com/a//b@c'],
  ])('accepts %s', (_what, url) => {
    expect(reasonFor(url)).toBeUndefined();
  });

  it.each([
    ['must not contain half a surrogate pair', 'https://example.com/\ud800'],
    ['must be an absolute https URL', 'hook'],
    ['must be an absolute https URL', 'xhttps://example.com/'],
    ['must not contain spaces, control characters or backslashes', 'https://example.com/a b'],
    ['must not contain a user name or password', 'https://me@example.com/'],
    ['is not a valid URL', 'https://example.com:65536/'],
    ['must be an https URL', 'http://example.com/'],
    ['must use port 443 or a port from 1024 to 65535', 'https://example.com:22/'],
    ['must not be a private or reserved address', 'https://10.0.0.1/'],
    ['must name a host on the public internet', 'https://localhost/'],
    ['must not be longer than 2048 characters', `https://example.com/${'a'.repeat(2029)}`],
    ['must not be longer than 2048 characters', `https://example.com/${'ü'.repeat(1_000)}`],
  ])('tells the client the reason: %s', (reason, url) => {
    expect(reasonFor(url)).toBe(reason);
  });

  it('accepts 2,048 characters and refuses one more, counted after percent-encoding', () => {
    const start = 'https://example.com/';
    const filled = start + 'a'.repeat(2048 - start.length);
    expect(isAccepted(filled)).toBe(true);
    expect(isAccepted(`${filled}a`)).toBe(false);
    expect(isAccepted(`${start}#${'a'.repeat(2048)}`)).toBe(false);
    expect(isAccepted(start + 'ä'.repeat(500))).toBe(false);
  });

  it('returns the normalized address: plain host, no fragment, no trailing dot', () => {
    const verdict = checkCallbackAddress('HTTPS://EXAMPLE.com.:443/Hook?A=b#part', published);
    expect(verdict).toEqual({ ok: true, url: 'https://example.com/Hook?A=b' });
  });

  it('accepts its own result unchanged', () => {
    const urls = fc.webUrl({ validSchemes: ['https'], withQueryParameters: true, withFragments: true });
    forAll([urls], (url) => {
      const first = checkCallbackAddress(url, published);
      if (first.ok) expect(checkCallbackAddress(first.url, published)).toEqual(first);
    });
  });

  it('never throws, for any text', () => {
    const starts = fc.constantFrom('', 'https://', 'https://[', 'http://127.');
    const tails = anyText({ maxLength: 60 });
    forAll([starts, tails, fc.boolean()], (start, tail, allowLoopback) => {
      expect(typeof checkCallbackAddress(start + tail, { allowLoopback }).ok).toBe('boolean');
    });
  });

  it('refuses every private IPv4 address in every spelling', () => {
    forAll([spelledIpv4(privateIpv4)], { numRuns: 1000 }, (host) => {
      expect(isAccepted(`https://${host}/`)).toBe(false);
    });
  });

  it('accepts public IPv4 addresses in every spelling except inside IPv6', () => {
    const spellings = spelledIpv4(fc.constantFrom(0x08080808, 0x01010101, 0x643ffffe, 0x64800001));
    forAll([spellings], (host) => {
      expect(isAccepted(`https://${host}/`)).toBe(!host.startsWith('['));
    });
  });
});

describe('checkCallbackAddress on the local stage', () => {
  const accepted = words(`
    http://localhost/ http://localhost:4000/hook http://LOCALHOST.:4000/hook https://localhost:4000/hook
    http://127.0.0.1:4000/hook http://127.8.9.10:4000/ http://2130706433:4000/ http://[::1]:4000/
    https://example.com/hook`);
  it.each(accepted)('accepts %s', (url) => {
    expect(reasonFor(url, local)).toBeUndefined();
  });

  const refused = words(`
    http://example.com/ http://8.8.8.8:4000/ http://10.0.0.1:4000/ https://10.0.0.1:4000/
    http://169.254.169.254/latest/meta-data/ http://0.0.0.0:4000/ http://[::]:4000/ http://[::ffff:127.0.0.1]:4000/
    http://app.localhost:4000/ http://host.internal:4000/ http://user@localhost:4000/ http://localhost:22/
    http://localhost:443/ https://localhost:80/ ws://localhost:4000/`);
  it.each(refused)('refuses %s', (url) => {
    expect(isAccepted(url, local)).toBe(false);
  });
});

describe('isPublicAddress', () => {
  it.each([
    '',
    '8.8.8.8 ',
    ...words('localhost 127.1 010.0.0.1 0x8080808 134744072 8.8.8 [2600::1] 2600::1%eth0 2600::1%1 8.8.8.8%1'),
  ])('refuses %p, which is not the canonical form of a public address', (ip) => {
    expect(isPublicAddress(ip, published)).toBe(false);
    expect(isPublicAddress(ip, local)).toBe(false);
  });

  it.each(['127.0.0.1', '127.255.255.254', '::1'])('allows the loopback address %s on the local stage only', (ip) => {
    expect(isPublicAddress(ip, published)).toBe(false);
    expect(isPublicAddress(ip, local)).toBe(true);
  });

  it('allows no other additional address on the local stage', () => {
    forAll([anyAddress], (ip) => {
      if (/^127\.|^::1$/.test(ip)) return;
      expect(isPublicAddress(ip, local)).toBe(isPublicAddress(ip, published));
    });
  });

  // ipaddr.js implements the same registries independently, but does not refuse unallocated IPv6 blocks.
  it('agrees with ipaddr.js, except that it refuses unallocated IPv6 addresses', () => {
    forAll([anyAddress], { numRuns: 2000 }, (ip) => {
      const address = ipaddr.parse(ip);
      const givenOut = address.kind() === 'ipv4' || (address.toByteArray()[0] ?? 0) >> 5 === 1;
      expect(isPublicAddress(ip, published)).toBe(givenOut && address.range() === 'unicast');
    });
  });
});

const block = (network: number, prefix: number) =>
  fc.integer({ min: 0, max: 2 ** (32 - prefix) - 1 }).map((host) => network + host);

/** RFC 1918, loopback, link-local and carrier-grade NAT, as 32-bit numbers. */
const privateIpv4 = fc.oneof(
  block(0x0a000000, 8),
  block(0xac100000, 12),
  block(0xc0a80000, 16),
  block(0x7f000000, 8),
  block(0xa9fe0000, 16),
  block(0x64400000, 10),
);

/**
 * Every way to write an IPv4 address as a host of a URL: radix and zeros per part, fewer parts, percent-encoding, full
 * width, and inside IPv6.
 */
function spelledIpv4(addresses: fc.Arbitrary<number>): fc.Arbitrary<string> {
  const byte = (n: number, at: number) => (n >>> (24 - 8 * at)) & 255;
  const radix = fc.constantFrom(
    (part: number) => String(part),
    (part: number) => `0x${part.toString(16)}`,
    (part: number) => `0X00${part.toString(16).toUpperCase()}`,
    (part: number) => `0${part.toString(8)}`,
    (part: number) => `000${part.toString(8)}`,
  );
  const disguise = fc.constantFrom(
    (host: string) => host,
    (host: string) => `${host}.`,
    (host: string) => host.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`),
    (host: string) => host.replace(/[0-9a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
    (host: string) => host.replaceAll('.', '。'),
  );
  const inParts = fc
    .tuple(addresses, fc.integer({ min: 1, max: 4 }), fc.array(radix, { minLength: 4, maxLength: 4 }), disguise)
    .map(([address, count, radixes, dress]) => {
      const leading = Array.from({ length: count - 1 }, (_, at) => byte(address, at));
      const last = address % 2 ** (8 * (5 - count));
      return dress([...leading, last].map((part, at) => radixes[at]?.(part)).join('.'));
    });
  const inIpv6 = fc
    .tuple(addresses, fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'), fc.boolean())
    .map(([address, prefix, dotted]) => {
      const groups = [address >>> 16, address & 0xffff].map((group) => group.toString(16)).join(':');
      return `[${prefix}${dotted ? [0, 1, 2, 3].map((at) => byte(address, at)).join('.') : groups}]`;
    });
  const in6to4 = addresses.map(
    (address) => `[2002:${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}::1]`,
  );
  return fc.oneof({ weight: 4, arbitrary: inParts }, inIpv6, in6to4);
}

/** IP addresses, most of them inside or next to the special blocks. */
const anyAddress = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc
    .tuple(fc.constantFrom(...words('0 10 100 127 168 169 172 192 198 203 224 240 255')), fc.ipV4())
    .map(([first, rest]) => [first, ...rest.split('.').slice(1)].join('.'))
    .filter((ip) => ip !== '168.63.129.16'), // ipaddr.js does not list this address of Azure
  fc
    .tuple(
      fc.constantFrom(...words('192.0.0 192.0.2 192.31.196 192.52.193 192.88.99 192.175.48 198.51.100 203.0.113')),
      fc.nat(255),
    )
    .map(([network, host]) => `${network}.${host}`),
  fc
    .tuple(
      fc.constantFrom(
        ...words(
          '2001:0 2001:2 2001:1ff 2001:200 2001:db8 2001:db9 2002:a00 2620:4f 3fff:fff 3fff:1000 64:ff9b 5f00:0 fe80:0',
        ),
      ),
      fc.constantFrom('0', '1', '8000', 'ffff'),
      fc.array(fc.nat(0xffff), { minLength: 5, maxLength: 5 }),
    )
    .map(([head, third, rest]) => [head, third, ...rest.map((group) => group.toString(16))].join(':')),
);
