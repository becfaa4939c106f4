import { DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetResourcePolicyCommand,
  ListTagsOfResourceCommand,
  PutResourcePolicyCommand,
  TagResourceCommand,
} from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { openCloud } from '../../bin/admin/cloud/cloud.ts';
import { names } from '../../lib/names.ts';
import { type TableName, tables } from '../../lib/tables.ts';
import { callItem } from '../../shared/stores/calls/call-item.ts';
import { runCollected } from '../support/admin/admin.ts';
import { aCall, aCalledLead } from '../unit/support/call.ts';
import { aConnection, anOrg } from '../unit/support/worlds/items.ts';
import { bound, type RestorableStage, STAGE, startRestorableStage } from './support/restorable-stage.ts';

const former = names(STAGE);
const StackName = former.stack('data');
const restoring = [...bound, 'do-not-call', 'audit'] as TableName[];

let stage: RestorableStage;
beforeAll(async () => {
  stage = await startRestorableStage();
});
afterAll(() => stage?.stop());

test('tables are restored with their settings, join the stack, and contain the calls placed since', async () => {
  const { cloud: cloudOfTest, db, deploy, admin, put, get } = stage;
  await deploy({}, 'CREATE');
  const id = (digit: string) => `call_${digit.repeat(32)}`;
  const waiting = (digit: string) => {
    const event_id = `evt_${digit}`;
    return aCall({
      ...{ call_id: id(digit), status: 'scheduled', unfinished: 'scheduled', held: 0, holds: 0 },
      ...{ scheduled_for: '2099-03-02T06:00:00.000Z', lead: aCalledLead({ lead_id: `lead-${digit}`, event_id }) },
    });
  };
  const over = { status: 'completed', unfinished: undefined, ended_at: '2026-03-02T07:00:00.000Z' } as const;
  await put(former.table('organizations'), anOrg());
  await put(former.table('calls'), callItem(waiting('1')));
  await put(former.table('calls'), callItem(waiting('2')));

  await put(former.table('calls'), callItem(aCall({ call_id: id('4'), ...over })));

  const to = new Date().toISOString().replace(/\.\d+/, '');
  const restore = (...more: string[]) => admin({}, 'stage', 'restore', '--to', to, ...more);
  expect(await restore('--tables', 'calls')).toMatchObject({ code: 1, answer: { error: 'together' } });
  expect(await restore('--tables', 'all')).toMatchObject({ code: 1, answer: { error: 'not_paused' } });
  await admin({}, 'dialing', 'pause');
  const tooOld = await admin({}, 'stage', 'restore', '--to', '2020-01-01', '--tables', 'all');
  expect(tooOld.answer).toMatchObject({ error: 'not_restorable' });
  expect(await restore('--tables', 'assistants', '--dry-run')).toMatchObject({ code: 0, stderr: '' });
  expect(await restore('--tables', 'audit')).toMatchObject({ code: 1, answer: { error: 'incomplete' } });
  // The emulator does not apply the policy of a template's table.
  const Statement = [{ Effect: 'Deny', Principal: '*', Action: 'dynamodb:DeleteItem', Resource: '*' }];
  const { Table } = await cloudOfTest.dynamodb.send(new DescribeTableCommand({ TableName: former.table('audit') }));
  await cloudOfTest.dynamodb.send(
    new PutResourcePolicyCommand({
      ResourceArn: Table?.TableArn,
      Policy: JSON.stringify({ Version: '2012-10-17', Statement }),
    }),
  );
  const Tags = [{ Key: 'owner', Value: 'sales' }];
  await cloudOfTest.dynamodb.send(new TagResourceCommand({ ResourceArn: Table?.TableArn, Tags }));
  const { code, stderr, answer } = await restore('--tables', restoring.join(','));
  expect([code, stderr]).toEqual([0, '']);
  const { restored } = answer;
  const now = names(STAGE, restored);
  expect(Object.keys(restored).sort()).toEqual([...restoring].sort());
  // A restore to another second of the same minute creates another table.
  expect(restored.calls).toBe(`r${to.replace(/\D/g, '')}`);

  // Settings that a restore does not copy.
  const described = async (table: string) =>
    (await cloudOfTest.dynamodb.send(new DescribeTableCommand({ TableName: table }))).Table;
  const calls = await described(now.table('calls'));
  expect(calls).toMatchObject({
    DeletionProtectionEnabled: true,
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  expect(calls?.GlobalSecondaryIndexes).toHaveLength(4);
  const ttl = await cloudOfTest.dynamodb.send(new DescribeTimeToLiveCommand({ TableName: now.table('calls') }));
  expect(ttl.TimeToLiveDescription).toMatchObject({ AttributeName: 'expires_at', TimeToLiveStatus: 'ENABLED' });
  const audit = await described(now.table('audit'));
  const { Policy } = await cloudOfTest.dynamodb.send(new GetResourcePolicyCommand({ ResourceArn: audit?.TableArn }));
  expect(Policy).toContain('dynamodb:DeleteItem');
  const tagged = await cloudOfTest.dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn: audit?.TableArn }));
  expect(tagged.Tags).toEqual(expect.arrayContaining(Tags));
  const { ContinuousBackupsDescription: backups } = await cloudOfTest.dynamodb.send(
    new DescribeContinuousBackupsCommand({ TableName: now.table('calls') }),
  );
  expect(backups?.PointInTimeRecoveryDescription).toMatchObject({ PointInTimeRecoveryStatus: 'ENABLED' });

  const cloud = openCloud({ stage: STAGE }, process.env, () => ({ region: 'us-east-1' }));
  const { stdout } = await runCollected(['stage', 'restore', '--to', to, '--tables', restoring.join(',')], { cloud });
  expect(stdout).toMatch(/"restored".*"calls":"r\d{14}".*\n.*set "canaryMinutes": 0.*\n2\. npx cdk deploy --all/);

  // Since then, a person was called, another person asked not to be called again, and a client's call was placed and
  // ended. The calls of two other leads were placed: one waits, and the platform may have the other one.
  await put(former.table('calls'), callItem({ ...waiting('1'), ...over }));
  await put(former.table('calls'), callItem(aCall({ call_id: id('3'), ...over, unfinished: 'ended' })));
  await put(former.table('claims'), { claim: 'lead#conn_1#lead-1#2026-03-02', owner_id: 'evt_1', call_id: id('1') });
  await put(former.table('calls'), callItem({ ...waiting('5'), phone_number: '+919812345675' }));
  await put(former.table('claims'), { claim: 'lead#conn_1#lead-5#2026-03-02', owner_id: 'evt_5', call_id: id('5') });
  const claimed = { status: 'dialing', unfinished: 'claimed', dial_claimed_at: '2026-03-02T06:00:01.000Z' } as const;
  await put(former.table('calls'), callItem({ ...waiting('6'), ...claimed }));
  await put(former.table('claims'), { claim: 'lead#conn_1#lead-6#2026-03-02', owner_id: 'evt_6', call_id: id('6') });
  // Two leads are stopped in both tables: the restored one has an older stop of lead 8 and a newer one of lead 9.
  const stopped = (lead: string, read_at: string) => ({ claim: `stopped#conn_1#${lead}`, read_at, lead: {} });
  await put(former.table('claims'), stopped('8', '2026-03-02T06:02:00.000Z'));
  await put(former.table('claims'), stopped('9', '2026-03-02T06:02:00.000Z'));
  await put(former.table('do-not-call'), { org_id: anOrg().org_id, phone: '+919812345678', added_at: 'then' });

  await put(former.table('calls'), { call_id: id('4'), org_id: anOrg().org_id, erased_at: 'then' });

  const changes = await deploy(restored, 'UPDATE');
  expect(changes.filter((change) => change === 'Import AWS::DynamoDB::GlobalTable')).toHaveLength(restoring.length);
  const { StackResources = [] } = await cloudOfTest.cloudFormation.send(
    new DescribeStackResourcesCommand({ StackName }),
  );
  const owned = StackResources.filter(({ ResourceType }) => ResourceType === 'AWS::DynamoDB::GlobalTable');
  expect(owned.map(({ PhysicalResourceId }) => PhysicalResourceId).sort()).toEqual(
    Object.keys(tables).map(now.table).sort(),
  );

  // A checkout with outdated settings would pause dialing in the former tables, and the stage would continue to dial.
  const stale = await admin({}, 'dialing', 'pause');
  expect(stale).toMatchObject({ code: 1, answer: { error: 'stale_checkout' } });
  expect(stale.stderr).toContain(`calls=${restored.calls}`);

  await put(now.table('claims'), stopped('8', '2026-03-02T06:01:00.000Z'));
  await put(now.table('claims'), stopped('9', '2026-03-02T06:03:00.000Z'));
  // Placed after the restore, while dialing is paused.
  await put(now.table('calls'), callItem({ ...waiting('7'), phone_number: '+919812345677' }));

  const leads_to_retry = { conn_1: 1 };
  const foreseen = await admin(restored, 'stage', 'reconcile', '--dry-run');
  expect(foreseen.answer).toMatchObject({ would_ring_again: 1, leads_to_retry });
  expect(await get(now.table('calls'), { call_id: id('1') })).toMatchObject({ status: 'scheduled' });
  await admin(restored, 'dialing', 'resume');
  expect((await admin(restored, 'stage', 'reconcile')).answer).toMatchObject({ error: 'not_paused' });
  await admin(restored, 'dialing', 'pause');
  const reconciled = await admin(restored, 'stage', 'reconcile');
  expect([reconciled.code, reconciled.stderr]).toEqual([0, '']);
  expect(reconciled.answer).toMatchObject({
    would_ring_again: 1,
    leads_to_retry,
    claims_copied: 3,
    numbers_copied: 1,
    calls_copied: 2,
  });
  expect(await get(now.table('calls'), { call_id: id('7') })).toMatchObject({ status: 'scheduled' });
  expect(await get(now.table('calls'), { call_id: id('1') })).toMatchObject({ status: 'canceled' });
  expect(await get(now.table('calls'), { call_id: id('2') })).toMatchObject({ status: 'scheduled' });
  expect(await get(now.table('calls'), { call_id: id('3') })).toMatchObject({ status: 'completed' });
  expect(await get(now.table('calls'), { call_id: id('3') })).not.toHaveProperty('unfinished');
  expect(await get(now.table('claims'), { claim: 'lead#conn_1#lead-1#2026-03-02' })).toMatchObject({
    owner_id: 'evt_1',
  });
  expect(await get(now.table('calls'), { call_id: id('4') })).toMatchObject({ erased_at: 'then' });
  const newest = [stopped('8', '2026-03-02T06:02:00.000Z'), stopped('9', '2026-03-02T06:03:00.000Z')];
  for (const stop of newest) expect(await get(now.table('claims'), { claim: stop.claim })).toEqual(stop);

  // A lead whose phone has not rung can be called, and a lead whose phone may have rung cannot.
  expect(await get(now.table('claims'), { claim: 'lead#conn_1#lead-5#2026-03-02' })).toBeUndefined();
  expect(await get(now.table('claims'), { claim: 'lead#conn_1#lead-6#2026-03-02' })).toMatchObject({
    call_id: id('6'),
  });
  expect((await admin(restored, 'stage', 'reconcile')).answer).toMatchObject({ leads_to_retry, claims_copied: 0 });
  const { QueueUrl = '' } = await cloudOfTest.sqs.send(
    new CreateQueueCommand({ QueueName: former.queue('lead-events') }),
  );
  await put(now.table('connections'), aConnection({ connection_id: 'conn_1', org_id: anOrg().org_id }));
  const retry = ['connection', 'retry', '--connection', 'conn_1', '--outcome', 'expired', '--since', '2026-03-02'];
  expect((await admin(restored, ...retry)).answer).toEqual({ queued: 1 });
  expect(JSON.parse((await cloudOfTest.receive(QueueUrl))[0] ?? '')).toMatchObject({
    ...{ event_id: 'evt_5.dial.retry.1', lead: { lead_id: 'lead-5' } },
  });
  // The restored stage does not dial automatically, and the audit log contains the operations.
  expect(await get(now.table('slots'), { scope: 'stage' })).toMatchObject({ paused_at: expect.any(String) });
  const { Items = [] } = await db.send(new ScanCommand({ TableName: now.table('audit') }));
  expect(Items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['stage.restore_begun', 'stage.reconciled']),
  );
});
