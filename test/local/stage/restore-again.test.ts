import { RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { names } from '../../../lib/names.ts';
import type { TableName } from '../../../lib/tables.ts';
import { sleep } from '../../../shared/runtime/clock.ts';
import { callItem } from '../../../shared/stores/calls/call-item.ts';
import { aCall, aCalledLead } from '../../unit/support/call.ts';
import { anOrg } from '../../unit/support/worlds/items.ts';
import { bound, type RestorableStage, STAGE, startRestorableStage } from '../support/restorable-stage.ts';

const original = names(STAGE);
const restoring: TableName[] = [...bound, 'do-not-call'];
const all = restoring.join(',');
const secondsOf = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;
const endingOf = (to: string) => `r${to.replace(/\D/g, '')}`;

let stage: RestorableStage;
beforeAll(async () => {
  stage = await startRestorableStage();
});
afterAll(() => stage?.stop());

/** Returns the present second, and waits until it is over. */
async function aSecond(): Promise<string> {
  const at = Date.now();
  await sleep(1_100 - (at % 1_000));
  return secondsOf(at);
}

const restore = (restored: object, to: string, ...more: string[]) =>
  stage.admin({ ...restored }, 'stage', 'restore', '--to', to, ...more);

const sourcesOf = (answer: { tables?: { source: string }[] }) => answer.tables?.map(({ source }) => source);

const id = (digit: string) => `call_${digit.repeat(32)}`;
const waiting = (digit: string) =>
  aCall({
    ...{ call_id: id(digit), status: 'scheduled', unfinished: 'scheduled', held: 0, holds: 0 },
    ...{ scheduled_for: '2099-03-02T06:00:00.000Z', phone_number: `+91981234567${digit}` },
    lead: aCalledLead({ lead_id: `lead-${digit}`, event_id: `evt_${digit}` }),
  });
const over = { status: 'completed', unfinished: undefined, ended_at: '2026-03-02T07:00:00.000Z' } as const;
const claimOf = (digit: string) => `lead#conn_1#lead-${digit}#2026-03-02`;
const aClaim = (digit: string) => ({ claim: claimOf(digit), owner_id: `evt_${digit}`, call_id: id(digit) });
const aNumber = (phone: string) => ({ org_id: anOrg().org_id, phone, added_at: 'then' });

test('a second restore copies the tables in use at its time, and reconciles all tables in use since', async () => {
  const { cloud, db, deploy, admin, put, get } = stage;
  await deploy({}, 'CREATE');
  await put(original.table('organizations'), anOrg());
  await admin({}, 'dialing', 'pause');
  await sleep(1_100);
  const early = await aSecond();
  const first = await aSecond();

  // An interrupted restore continues, whatever it has done.
  const [unused, begun] = [names(STAGE, { assistants: endingOf(early) }).table('assistants'), new Date(early)];
  const SourceTableName = original.table('assistants');
  await cloud.dynamodb.send(
    new RestoreTableToPointInTimeCommand({ SourceTableName, TargetTableName: unused, RestoreDateTime: begun }),
  );
  for (const _again of [1, 2])
    expect(await restore({}, early, '--tables', 'assistants')).toMatchObject({ code: 0, stderr: '' });

  // A table of the right name may have other content.
  const wrong = [
    [original.table('assistants'), new Date(early)],
    [original.table('receivers'), new Date(first)],
  ] as const;
  for (const [index, [source, RestoreDateTime]] of wrong.entries()) {
    const to = secondsOf(Date.parse(first) + index * 1_000);
    const TargetTableName = names(STAGE, { assistants: endingOf(to) }).table('assistants');
    await cloud.dynamodb.send(
      new RestoreTableToPointInTimeCommand({ SourceTableName: source, TargetTableName, RestoreDateTime }),
    );
    const { code, answer } = await restore({}, to, '--tables', 'assistants');
    expect([code, answer.error]).toEqual([1, 'another_restore']);
    expect(answer.message).toContain(TargetTableName);
  }

  const begunAs = await restore({}, first, '--tables', all);
  expect([begunAs.code, begunAs.stderr]).toEqual([0, '']);
  const one = begunAs.answer.restored;
  const between = await aSecond();
  await deploy(one, 'UPDATE');
  await sleep(1_100);
  const late = await aSecond();

  // Another restore to the same time would reuse tables that have changed since.
  for (const dryRun of [[], ['--dry-run']]) {
    const again = await restore(one, first, '--tables', all, ...dryRun);
    expect([again.code, again.answer.error]).toEqual([1, 'in_use']);
    const before = secondsOf(Date.parse(first) - 1_000);
    expect(again.answer.message).toContain(`stage restore --to ${before} --tables ${all}`);
    expect(again.answer.message).toContain('Nothing was changed');
  }

  const planned = async (to: string) => sourcesOf((await restore(one, to, '--tables', all, '--dry-run')).answer);
  expect(await planned(late)).toEqual(restoring.map(names(STAGE, one).table));
  expect(await planned(between)).toEqual(restoring.map(original.table));
  expect(await planned(early)).toEqual(restoring.map(original.table));

  // The tables in use until the first restore, and those in use since.
  const [calls, since] = [original.table('calls'), names(STAGE, one).table('calls')];
  const claims = [original.table('claims'), names(STAGE, one).table('claims')] as const;
  await put(calls, callItem({ ...waiting('1'), ...over }));
  await put(since, callItem({ ...waiting('1'), ...over, status: 'canceled' }));
  await put(calls, callItem(waiting('2')));
  await put(since, callItem({ ...waiting('2'), ...over }));
  await put(claims[0], aClaim('2'));
  for (const table of [calls, since]) await put(table, callItem(waiting('3')));
  // A call that was lost in the first restore, and whose lead was retried since.
  await put(calls, callItem(waiting('4')));
  await put(claims[0], aClaim('4'));
  const entry = { ...{ connection_id: 'conn_1', org_id: anOrg().org_id, at: waiting('4').created_at }, test: false };
  for (const [event_id, outcome] of [
    ['evt_4.dial', 'expired'],
    ['evt_4.dial.retry.1', 'already_called'],
  ] as const)
    await put(names(STAGE, one).table('activity'), {
      ...{ ...entry, event_id, outcome, source: 'retry', event: 'new_lead', reason: 'The lead was retried.' },
      ...{ payload_keys: [], expires_at: 4_000_000_000 },
    });
  // A call placed since.
  await put(since, callItem(waiting('5')));
  await put(claims[1], aClaim('5'));
  await put(since, callItem({ ...waiting('6'), ...over }));
  await put(claims[1], aClaim('6'));
  await put(original.table('do-not-call'), aNumber('+919812345601'));
  await put(names(STAGE, one).table('do-not-call'), aNumber('+919812345602'));

  const second = await restore(one, early, '--tables', all);
  expect([second.code, second.stderr]).toEqual([0, '']);
  const two = second.answer.restored;
  const now = names(STAGE, two);
  // The emulator restores the present items, whatever the time.
  for (const digit of ['1', '2', '3']) await put(now.table('calls'), callItem(waiting(digit)));
  await db.send(new DeleteCommand({ TableName: now.table('calls'), Key: { call_id: id('4') } }));
  for (const digit of ['2', '4'])
    await db.send(new DeleteCommand({ TableName: now.table('claims'), Key: { claim: claimOf(digit) } }));
  const { added_at: _since, ...Key } = aNumber('+919812345601');
  await db.send(new DeleteCommand({ TableName: now.table('do-not-call'), Key }));
  await deploy(two, 'UPDATE');

  const { code, stderr, answer } = await admin(two, 'stage', 'reconcile');
  expect([code, stderr]).toEqual([0, '']);
  expect(answer).toMatchObject({
    ...{ would_ring_again: 2, not_canceled: [], leads_to_retry: { conn_1: 1 } },
    ...{ claims_copied: 2, numbers_copied: 2, calls_copied: 1 },
  });
  const statusOf = async (digit: string) => (await get(now.table('calls'), { call_id: id(digit) }))?.status;
  expect(await Promise.all(['1', '2', '3', '4', '5', '6'].map(statusOf))).toEqual([
    ...['canceled', 'canceled', 'scheduled', undefined, undefined, 'completed'],
  ]);
  const claimed = async (digit: string) => (await get(now.table('claims'), { claim: claimOf(digit) })) !== undefined;
  expect(await Promise.all(['2', '4', '5', '6'].map(claimed))).toEqual([true, false, false, true]);

  // The first restored tables were in use, but are no longer.
  expect((await restore(two, first, '--tables', all)).answer).toMatchObject({ error: 'in_use' });
});
