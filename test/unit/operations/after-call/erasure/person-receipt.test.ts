import {
  erasureReceiptSchema,
  isGenuineReceipt,
  pseudonymOf,
  receiptSchema,
  signReceipt,
} from '../../../../../shared/domain/after-call/erasure/erasure-receipt.ts';
import { aCall } from '../../../support/call.ts';
import { aCity, erase } from '../../../support/erasure/erasing.ts';
import {
  aCallOfPerson,
  aPersonsWorld,
  canaries,
  idOf,
  PERSON_KEY as KEY,
  PHONE,
} from '../../../support/erasure/person.ts';
import { ORG } from '../../../support/worlds/items.ts';

const AT = '2026-03-01T06:00:00.000Z';

const nothing = { files: 0, callbacks: 0, activity: 0, claims: 0, platform_calls: 0, remote_records: [] };
const UNKNOWN_CLAIMS =
  /^claims on leads that no stored call and no Activity of the number names, with the lead's id in the CRM, for 92 days$/;

describe('erasing a person', () => {
  it('yields a receipt that names no person, is unchanged and is signed by the stage', async () => {
    const erased = await erase(aCity());
    if (erased.kind !== 'erased') throw new Error(erased.kind);
    const stored = JSON.stringify(erased.receipt);
    for (const word of canaries) expect(stored).not.toContain(word);
    const receipt = erasureReceiptSchema.parse(JSON.parse(stored));
    expect(receipt.calls.map(({ call_id }) => call_id).sort()).toEqual([1, 2, 3].map(idOf));
    expect(receipt.person).toBe(pseudonymOf(KEY, ORG, PHONE));
    const sorted = Object.fromEntries(Object.entries(receipt).sort()) as typeof receipt;
    expect([isGenuineReceipt(KEY, receipt), isGenuineReceipt(KEY, sorted)]).toEqual([true, true]);
    expect(isGenuineReceipt(KEY, { ...receipt, calls: receipt.calls.slice(1) })).toBe(false);
    expect(isGenuineReceipt('another', receipt)).toBe(false);
  });

  it('yields a receipt that says for each call whether the voice platform has deleted its data', async () => {
    const never = aCallOfPerson(4, {
      platform_id: undefined,
      former_platform_ids: undefined,
      second_platform_ids: undefined,
    });
    const city = aPersonsWorld([aCallOfPerson(1), never]);
    const platformOf = (erased: Awaited<ReturnType<typeof erase>>) =>
      erased.kind === 'erased' && erased.receipt.calls.map(({ call_id, platform }) => [call_id, platform]).sort();
    const left = 'data of 1 call at the voice platform, which did not confirm its deletion';
    city.failures.push(...Array(5).fill('status 503'));
    const first = await erase(city);
    expect(first).toMatchObject({ platform_left: [idOf(1)], receipt: { remains: expect.arrayContaining([left]) } });
    expect(platformOf(first)).toEqual([
      [idOf(1), 'left'],
      [idOf(4), 'none'],
    ]);
    if (first.kind !== 'erased') throw new Error(first.kind);
    expect(isGenuineReceipt(KEY, first.receipt)).toBe(true);
    const calls = first.receipt.calls.map((one) => ({ ...one, platform: 'erased' as const }));
    expect(isGenuineReceipt(KEY, { ...first.receipt, calls })).toBe(false);
    const again = await erase(city);
    expect(again).toMatchObject({ platform_left: [], receipt: { remains: expect.not.arrayContaining([left]) } });
    expect(platformOf(again)).toEqual([
      [idOf(1), 'erased'],
      [idOf(4), 'none'],
    ]);
  });

  it('yields a receipt that names the calls that the voice platform does not know', async () => {
    const city = aPersonsWorld([aCallOfPerson(1), aCallOfPerson(2)]);
    city.atPlatform.delete('former-2');
    expect(await erase(city)).toMatchObject({
      platform_left: [],
      receipt: {
        calls: [
          { call_id: idOf(1), platform: 'erased' },
          { call_id: idOf(2), platform: 'absent' },
        ],
        remains: expect.arrayContaining([expect.stringMatching(/^data of 1 call at the voice platform, if another/)]),
      },
    });
    city.atPlatform.add('former-2');
    expect(await erase(city)).toMatchObject({ receipt: { calls: Array(2).fill({ platform: 'erased' }) } });
    expect(city.atPlatform.size).toBe(0);
  });

  it('yields a receipt that names each write and dial whose result the service never learned', async () => {
    const lost = { platform_id: undefined, former_platform_ids: undefined, second_platform_ids: undefined };
    const unknown = [
      aCallOfPerson(1, { note: { state: 'unconfirmed', at: AT }, ticket: { state: 'asked', at: AT } }),
      aCallOfPerson(2, { ...lost, status: 'failed', ended_reason: 'platform_unreachable' }),
      aCallOfPerson(3, { note: { state: 'failed', at: AT }, ended_reason: 'lost' }),
    ];
    const erased = await erase(aPersonsWorld(unknown));
    if (erased.kind !== 'erased') throw new Error(erased.kind);
    const { calls, remains } = receiptSchema.parse(JSON.parse(JSON.stringify(erased.receipt)));
    expect(calls.map(({ call_id, found }) => [call_id, found.unconfirmed]).sort()).toEqual([
      [idOf(1), ['note', 'ticket']],
      [idOf(2), ['dial']],
      [idOf(3), undefined],
    ]);
    expect(remains).toContain(
      'records, and data at the voice platform, that may exist although no answer named them: see "unconfirmed" of 2 calls',
    );
    expect(isGenuineReceipt(KEY, erased.receipt)).toBe(true);
    expect(await erase(aCity())).toMatchObject({
      receipt: { remains: expect.not.arrayContaining([expect.stringContaining('unconfirmed')]) },
    });
  });

  it('yields a receipt that names calls that the index by number may not have yet', async () => {
    const city = aPersonsWorld([]);
    city.freezeIndexes();
    city.putCall(aCall({ call_id: idOf(4), phone_number: PHONE }));
    const erased = await erase(city);
    expect(erased).toMatchObject({ kind: 'erased', receipt: { calls: [] } });
    expect(city.left([PHONE])).toEqual([PHONE]);
    expect(erased.kind === 'erased' && erased.receipt.remains).toContain(
      'calls that were placed during the run, or in the seconds before it',
    );
  });

  it.each([
    [
      'the messages on queues',
      /^messages on queues and dead letters, until 2026-03-09T[^;]*; dead letters that are redriven, 7 days longer each time$/,
    ],
    ['the ledger', /^entries of the ledger, without the person: ids of calls, and amounts$/],
    ['the copies of removed calls', /^data of calls that their retention had removed.*call erase/],
    ['the number in data of calls to other numbers', /^the number in .* calls to other numbers/],
    ['the claims that it cannot find', UNKNOWN_CLAIMS],
  ])('yields a receipt that names %s as remaining', async (_, sentence) => {
    const remains = expect.arrayContaining([expect.stringMatching(sentence)]);
    expect(await erase(aCity())).toMatchObject({ receipt: { remains } });
  });

  it('still accepts a receipt of a former version, which does not mention the platform', () => {
    const former = signReceipt(KEY, {
      ...{ org_id: ORG, person: 'p', done_at: 'then', done_by: 'ravi', activity: 0, do_not_call: 'kept', remains: [] },
      calls: [{ call_id: idOf(1), erased_at: 'then', found: nothing }],
    });
    const parsed = receiptSchema.parse(JSON.parse(JSON.stringify(former)));
    expect([parsed, isGenuineReceipt(KEY, parsed)]).toEqual([former, true]);
  });
});
