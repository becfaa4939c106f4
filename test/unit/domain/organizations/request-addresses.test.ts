import { isIP, SocketAddress } from 'node:net';
import fc from 'fast-check';
import { requestAddresses } from '../../../../shared/domain/organizations/request-addresses.ts';

const CLOUDFRONT = '130.176.0.5';
const CLOUDFRONT_6 = '2600:9000:1::5';
const canonical6 = (address: string) => new SocketAddress({ address, family: 'ipv6' }).address;
const viewers = fc.oneof(fc.ipV4(), fc.ipV6().map(canonical6)).filter((one) => one !== CLOUDFRONT);
const texts = fc.oneof(fc.string(), fc.stringMatching(/^[\d., :a-f%]{0,60}$/), viewers);

describe('the addresses of a request', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['no header', undefined, undefined],
    ['an empty header', '', undefined],
    ['only what the gateway appended', CLOUDFRONT, undefined],
    ['the viewer before what the gateway appended', `203.0.113.7, ${CLOUDFRONT}`, '203.0.113.7'],
    ['an IPv6 viewer', `2001:db8::7, ${CLOUDFRONT}`, '2001:db8::7'],
    ['a viewer, without an entry of the gateway', '203.0.113.7', '203.0.113.7'],
    ['forged entries before the viewer', `198.51.100.1, ${CLOUDFRONT}, 203.0.113.7,${CLOUDFRONT}`, '203.0.113.7'],
    ['the same peer twice', `203.0.113.7, ${CLOUDFRONT}, ${CLOUDFRONT}`, undefined],
    ['several commas', `203.0.113.7,,, ${CLOUDFRONT}`, undefined],
    ['only commas', ',,,', undefined],
    ['a name', `203.0.113.7, my-laptop, ${CLOUDFRONT}`, undefined],
    ['a port', `203.0.113.7:80, ${CLOUDFRONT}`, undefined],
    ['a zone, which may be any text', `fe80::1%ring-meera, ${CLOUDFRONT}`, undefined],
    ['more digits than an address has', `1203.0.113.7, ${CLOUDFRONT}`, undefined],
  ])('with %s, %j, name the viewer %s', (_, header, forwarded_for) => {
    expect(requestAddresses(CLOUDFRONT, header)).toEqual({
      address: CLOUDFRONT,
      ...(forwarded_for && { forwarded_for }),
    });
  });

  it.each<[string, string, string | undefined]>([
    ['the peer', '2001:db8::7, 2600:9000:1:0:0:0:0:5', '2001:db8::7'],
    ['the peer, with leading zeros', '203.0.113.7, 2600:9000:0001::0005', '203.0.113.7'],
    ['the viewer', `2001:0DB8:0:0::07, ${CLOUDFRONT_6}`, '2001:db8::7'],
    ['the peer twice', `2600:9000:1:0::5, ${CLOUDFRONT_6}`, undefined],
    ['brackets and a port', `[2001:db8::7]:443, ${CLOUDFRONT_6}`, undefined],
    ['an IPv4 address in an IPv6 one', `::ffff:203.0.113.7, ${CLOUDFRONT_6}`, '::ffff:203.0.113.7'],
  ])('have one spelling in IPv6: %s', (_, header, forwarded_for) => {
    expect(requestAddresses(CLOUDFRONT_6, header)).toEqual({
      address: CLOUDFRONT_6,
      ...(forwarded_for && { forwarded_for }),
    });
  });

  it('contain only the forwarded address if the gateway names no peer', () => {
    expect(requestAddresses(undefined)).toEqual({});
    expect(requestAddresses(undefined, '203.0.113.7')).toEqual({ forwarded_for: '203.0.113.7' });
  });

  it('name CloudFront’s viewer, whatever the viewer sends', () => {
    fc.assert(
      fc.property(fc.array(texts), viewers, (sent, viewer) => {
        const header = [...sent, viewer, CLOUDFRONT].join(', ');
        expect(requestAddresses(CLOUDFRONT, header)).toEqual({ address: CLOUDFRONT, forwarded_for: viewer });
      }),
    );
  });

  it('are recognized as Node.js recognizes them', () => {
    const byte = fc.oneof(fc.integer({ min: 0, max: 300 }).map(String), fc.stringMatching(/^\d{0,4}$/));
    const nearly = fc.array(byte, { minLength: 3, maxLength: 5 }).map((bytes) => bytes.join('.'));
    fc.assert(
      fc.property(fc.oneof(nearly, texts), (text) => {
        const ip = text.split(',').at(-1)?.trim() ?? '';
        const isAddress = isIP(ip) > 0 && !ip.includes('%');
        expect(requestAddresses(undefined, text).forwarded_for !== undefined).toBe(isAddress);
      }),
    );
  });

  it('are the peer and at most one other IP address, for any header', () => {
    fc.assert(
      fc.property(fc.array(texts), (sent) => {
        const { address, forwarded_for: claimed, ...rest } = requestAddresses(CLOUDFRONT, sent.join(','));
        expect([address, rest]).toEqual([CLOUDFRONT, {}]);
        if (claimed === undefined) return;
        expect(isIP(claimed)).toBeGreaterThan(0);
        expect(claimed).not.toBe(CLOUDFRONT);
        expect(claimed).toMatch(/^[\da-f:.]{2,45}$/i);
      }),
    );
  });

  it.each([
    ['commas', ','],
    ['digits', '1'],
    ['blanks', ' '],
    ['colons', ':'],
    ['addresses', '203.0.113.7, '],
    ['IPv6 addresses', '2001:db8:0:0:0:0:0:7,'],
  ])('are read within 2 milliseconds from 10,000 %s', (_, text) => {
    const header = text.repeat(10_000);
    // Uses the quickest run, because others may wait for a processor.
    const times = Array.from({ length: 100 }, () => {
      const begun = performance.now();
      requestAddresses(CLOUDFRONT, header);
      return performance.now() - begun;
    });
    expect(Math.min(...times)).toBeLessThan(2);
  });
});
