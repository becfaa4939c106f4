import { signReceipt } from '../../../shared/domain/after-call/erasure/erasure-receipt.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { aCall } from '../support/call.ts';
import { adminWorld } from '../support/worlds/admin-world.ts';
import { anOrg, ORG } from '../support/worlds/items.ts';

const KEY = 'the-key-of-the-stage';
const CALL = aCall().call_id;
const AT = '2026-03-02T06:00:00.000Z';

function aStage() {
  const world = adminWorld(
    { organizations: [anOrg()] },
    { GetSecretValue: { SecretString: KEY }, ListObjectVersions: {}, ListMultipartUploads: {}, DeleteObject: {} },
  );
  world.putCall(aCall({ status: 'no_answer', unfinished: undefined }));
  return world;
}

const found = { files: 0, callbacks: 0, activity: 0, claims: 0, platform_calls: 1, remote_records: [] };
const remains = ['data of 1 call at the voice platform, which did not confirm its deletion'];

/** A person's receipt; the platform has deleted its data of one call of three. */
const partly = signReceipt(KEY, {
  ...{ org_id: ORG, person: 'pseudonym', done_at: AT, done_by: 'ravi', activity: 0, do_not_call: 'not_listed' },
  calls: [
    { call_id: 'call_1', erased_at: AT, found, platform: 'erased' },
    { call_id: 'call_2', erased_at: AT, found, platform: 'left' },
    { call_id: 'call_3', erased_at: AT, found, platform: 'absent' },
  ],
  remains,
});

const verify = (name: string, content: unknown) =>
  `receipt verify --file ${aFile(name, typeof content === 'string' ? content : JSON.stringify(content))}`;

describe('receipt verify', () => {
  it('names the calls whose data the voice platform may still have, and the remaining data', async () => {
    const command = verify('partly.json', partly);
    expect(JSON.parse((await aStage().admin(command)).stdout)).toEqual({
      ...{ kind: 'person', person: 'pseudonym', done_at: AT, calls: 3, remains },
      ...{ platform_left: ['call_2'], platform_absent: ['call_3'] },
    });
    const { code, stdout } = await aStage().atTerminal(command);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/genuine\. .+: 3\..+voice platform may.+call_2.+not know.+call_3/s),
    ]);
  });

  it('accepts the refusal that contains the receipt', async () => {
    const refusal = { error: 'platform_not_erased', message: '-', call_ids: ['call_2'], receipt: partly };
    const { code, stdout } = await aStage().admin(verify('refusal.json', refusal));
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { platform_left: ['call_2'] }]);
  });

  it('refuses a receipt that hides what is left', async () => {
    const calls = partly.calls.map((one) => ({ ...one, platform: 'erased' as const }));
    const { code, stdout } = await aStage().admin(verify('changed.json', { ...partly, calls }));
    expect([code, JSON.parse(stdout).error]).toEqual([1, 'not_genuine']);
  });

  it.each(['', '\n', '\r', ' \r\t'])(
    'refuses a receipt that has a member twice, because readers may see either value: %j',
    async (space) => {
      const lie = `"platform":"erased",${space}"platform":"left"`;
      const text = JSON.stringify(partly).replaceAll('"platform":"left"', lie);
      expect(JSON.parse(text)).toEqual(partly);
      const { code, stdout } = await aStage().admin(verify('twice.json', text));
      expect([code, JSON.parse(stdout).error]).toEqual([1, expect.any(String)]);
    },
  );

  it('refuses a receipt with an added member, at any level, and accepts receipts of former versions', async () => {
    const record = { system: 'crm-b', record: 'note', id: 'note-1', outcome: 'kept' } as const;
    const { signature: _, ...unsigned } = partly;
    const of = (call: Partial<(typeof partly.calls)[number]>) => ({ call_id: 'call_1', erased_at: AT, found, ...call });
    const remote_records = [{ system: 'crm-b' as const, record: 'note', id: 'note-1' }];
    const whole = { ...unsigned, calls: [of({ found: { ...found, remote_records }, records: [record] })] };
    const receipt = signReceipt(KEY, whole);
    const former = signReceipt(KEY, { ...unsigned, calls: [of({})] });
    const text = JSON.stringify(receipt);
    const levels = text.split('{').slice(1);
    expect(levels).toHaveLength(5);
    const added = levels.map((_level, number) => {
      const parts = text.split('{');
      parts[number + 1] = `"note": "a lie", ${parts[number + 1]}`;
      return parts.join('{');
    });
    const results = [];
    for (const content of [text, JSON.stringify(former), ...added]) {
      const { code, stdout } = await aStage().admin(verify('added.json', content));
      results.push([code, JSON.parse(stdout).error]);
    }
    expect(results).toEqual([
      ...Array(2).fill([0, undefined]),
      ...['invalid_value', 'invalid_value', 'not_genuine', 'not_genuine', 'not_genuine'].map((error) => [1, error]),
    ]);
  });
});

describe('call erase', () => {
  it('signs a receipt, beside its former members, that receipt verify accepts', async () => {
    const world = aStage();
    const erased = await world.admin(`call erase --call ${CALL}`);
    const { receipt, ...former } = JSON.parse(erased.stdout);
    expect([erased.code, former]).toEqual([
      0,
      { call_id: CALL, erased_at: world.now, erasure_done_at: world.now, found: expect.anything(), records: [] },
    ]);
    expect(receipt).toMatchObject({
      ...{ kind: 'call', org_id: ORG, done_by: 'ravi', calls: [{ call_id: CALL, platform: 'none', records: [] }] },
      remains: expect.arrayContaining([expect.stringMatching(/^messages on queues/)]),
    });
    for (const [name, content] of Object.entries({ 'answer.json': erased.stdout, 'call.json': receipt })) {
      const { code, stdout } = await world.admin(verify(name, content));
      expect([name, code, JSON.parse(stdout)]).toMatchObject([name, 0, { kind: 'call', calls: 1, platform_left: [] }]);
    }
    const changed = await world.admin(verify('forged.json', { ...receipt, done_by: 'meera' }));
    expect([changed.code, JSON.parse(changed.stdout).error]).toEqual([1, 'not_genuine']);
  });
});
