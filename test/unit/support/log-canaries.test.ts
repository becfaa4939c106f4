import { revealedIn, textsOf } from '../../support/logs/log-canaries.ts';
import { takeRevealed } from '../../support/logs/searched-lines.ts';
import { aWorld } from './worlds/world.ts';

const line = (facts: object) => JSON.stringify({ level: 'INFO', message: 'the call was dialed', ...facts });
const ordinary = [
  line({ call_id: 'call_0123456789abcdef0123456789abcdef', org_id: 'orgfeedfacefeedface', status: 202 }),
  line({
    timestamp: '2026-03-02T06:02:30.000+05:30',
    xray_trace_id: '1-5759e988-bd862e3fe1be46a994272793',
    ms: 91_971,
  }),
  line({ function_name: 'calling-service-local-disconnect-connection', event_id: 'evt_0199aa00bb11f00dfacecafe0123' }),
  line({ status: 401, address: '2001:db8:9198:9712:3456:7890:9198:1234', forwarded_for: '91.98.97.123' }),
  line({ channel_id: '1795400000000123', address: '127.0.0.1', key_id: 'key_0123456789abcdef01234567' }),
  'START RequestId: 619cd5bb-cbfb-41d3-8671-919812345678 Version: $LATEST',
  '    at file:///var/task/index.mjs:12:919712345 (node_modules/@aws-sdk/client-dynamodb@3.0.0)',
].join('\n');

describe('a log', () => {
  it('with ids, numbers and traces reveals no secret', () => {
    expect(revealedIn(ordinary, ['the-secret-of-this-run'])).toEqual([]);
  });

  it.each([
    ['a phone number', '+919712345678'],
    ['a phone number', '919812345678'],
    ['an e-mail address', 'ravi@example.com'],
    ['an API key', `svc_live_orgfeedface_${'aB3'.repeat(15)}`],
    ['a token of a connection', 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'],
    ['an OAuth token', `1000.${'0a'.repeat(16)}.${'0b'.repeat(16)}`],
    ['a token of the user pool', 'eyJhbGciOiJ.eyJzdWIiOiI'],
    ['a signed address', 'https://files.example/a.wav?X-Amz-Signature=00ff'],
    ["a lead's name", 'Meera'],
    ['what was said in a call', 'Yes, I asked about it yesterday.'],
    ['a secret', 'the-secret-of-this-run'],
  ])('is reported if it reveals %s, with the text named and masked', (what, planted) => {
    const found = revealedIn(`${ordinary}\n${line({ about: `of ${planted} and more` })}`, ['the-secret-of-this-run']);
    expect(found).toEqual([{ what, line: expect.stringContaining('***') }]);
    expect(JSON.stringify(found)).not.toContain(planted);
  });

  it.each(['info', 'warn'] as const)('of an operation is searched in the world of its test: %s', (level) => {
    const { common } = aWorld({});
    common[level]('the call was dialed', { reason: 'ENOTFOUND', call_id: 'call_0123456789abcdef0123456789abcdef' });
    expect(takeRevealed()).toEqual([]);
    common[level]('the call was dialed', { reason: 'no route to +919712345678' });
    expect(takeRevealed()).toEqual([{ what: 'a phone number', line: expect.stringContaining('no route to ***') }]);
  });

  it('is searched for each text of a secret in JSON', () => {
    expect(textsOf('{"clients":{"in":{"id":"1000.CLIENT","secret":"the-secret"}},"n":1,"short":"in"}')).toEqual([
      '1000.CLIENT',
      'the-secret',
    ]);
    expect(textsOf('a-plain-secret')).toEqual(['a-plain-secret']);
  });
});
