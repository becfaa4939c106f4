import { Readable } from 'node:stream';
import { setImmediate as turned, setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { hashWebhookToken } from '../../../../shared/domain/connections/webhook-token.ts';
import { callIdFor } from '../../../../shared/domain/ids.ts';
import { createApiKey, hashApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { readLeadPayloads } from '../../../../shared/integrations/crm-a/lead-payload.ts';
import { openNotification } from '../../../../shared/integrations/crm-b/notification.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { getCall } from '../../../../shared/operations/calls/get-call.ts';
import { type PlacingRequest, placeCall } from '../../../../shared/operations/calls/place-call.ts';
import { receiveCrmALead } from '../../../../shared/operations/leads/receive-crm-a-lead.ts';
import { receiveCrmBNotification } from '../../../../shared/operations/leads/receive-crm-b-notification.ts';
import { transactions } from '../../../../shared/stores/dynamodb/transaction.ts';
import { queueSender } from '../../../../shared/stores/queue.ts';
import { aCall } from '../../support/call.ts';
import { aConnection, anAssistant, anOrg, ORG } from '../../support/items.ts';
import { START, storesOn } from '../../support/world.ts';

/** Metadata is stored as JSON text. */
const asStored = (item: object) =>
  'request_metadata' in item ? { ...item, request_metadata: JSON.stringify(item.request_metadata) } : item;

const apiKey = createApiKey(ORG);
const authorization = `Bearer ${apiKey}`;
const QUIET_MS = 40;
/** Turns of the event loop in addition to the time, because the machine may have suspended the process. */
const QUIET_TURNS = 20;

const org = anOrg();
const key = {
  key_hash: hashApiKey(apiKey),
  key_id: 'key_1',
  org_id: ORG,
  name: 'k',
  permissions: ['calls:write'],
  created_at: org.created_at,
};
const assistant = anAssistant();

/**
 * Answers AWS requests from these items in waves: all pending requests at once, as soon as no other request follows.
 * Requests of one wave therefore ran in parallel.
 * @returns the dependencies and the waves, each a list of operations
 */
function recording(items: Record<string, object | undefined>) {
  const waves: string[][] = [];
  const held: { operation: string; answer: () => void }[] = [];
  let asked = 0;
  const answerWhenQuiet = async () => {
    asked += 1;
    const last = asked;
    await wait(QUIET_MS);
    for (let turn = 0; turn < QUIET_TURNS && last === asked; turn += 1) await turned();
    if (last !== asked) return;
    waves.push(held.map(({ operation }) => operation).sort());
    for (const { answer } of held.splice(0)) answer();
  };
  const answerTo = (operation: string, { TableName = '' }: { TableName?: string }) => {
    if (operation === 'UpdateItem') return { Attributes: marshall({ requests: 1, outbound: 1 }) };
    const item = items[TableName];
    return operation === 'GetItem' && item ? { Item: marshall(asStored(item)) } : {};
  };
  const requestHandler = {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request: { headers: Record<string, string>; body: Uint8Array }) {
      const operation = (request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
      await new Promise<void>((answer) => {
        held.push({ operation, answer });
        void answerWhenQuiet();
      });
      const text = JSON.stringify(answerTo(operation, JSON.parse(new TextDecoder().decode(request.body))));
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      return { response: { statusCode: 200, headers, body: Readable.from([Buffer.from(text)]) } };
    },
  };
  const settings = {
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    requestHandler: requestHandler as never,
  };
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(settings), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const deps = {
    ...storesOn(db),
    leadQueue: queueSender<LeadEvent>(new SQSClient(settings), 'https://sqs.us-east-1.amazonaws.com/1/leads'),
    transact: transactions(db),
    now: () => new Date(START),
  };
  return { deps, waves };
}

const items = { 'api-keys': key, organizations: org, assistants: assistant };
const request = {
  phone_number: '+919812345678',
  assistant_id: 'asst_1',
  metadata: {},
  idempotency_key: 'order-7',
  callback_url: undefined,
};
const onTheList = { org_id: ORG, phone: request.phone_number, added_at: org.created_at };
const earlier = aCall({ org_id: ORG, call_id: callIdFor(ORG, 'order-7') });
const placing: PlacingRequest = { requestId: 'request-1', authorization, body: { ok: true, request } };

describe('round trips to the database', () => {
  it('to read a call: one', async () => {
    const { deps, waves } = recording({ ...items, calls: aCall({ org_id: ORG }) });
    expect(await getCall(deps, authorization, aCall().call_id)).toMatchObject({ kind: 'found' });
    expect(waves).toEqual([['GetItem', 'GetItem', 'GetItem', 'UpdateItem']]);
  });

  it('to place a call: one of reads, and one transaction', async () => {
    const { deps, waves } = recording(items);
    expect(await placeCall(deps, placing)).toMatchObject({ kind: 'placed' });
    expect(waves).toEqual([
      ['GetItem', 'GetItem', 'GetItem', 'GetItem', 'GetItem', 'UpdateItem'],
      ['TransactWriteItems'],
    ]);
  });

  it('to refuse a number on the do-not-call list: one', async () => {
    const { deps, waves } = recording({ ...items, 'do-not-call': onTheList });
    expect(await placeCall(deps, placing)).toMatchObject({ kind: 'do_not_call' });
    expect(waves).toHaveLength(1);
  });

  it('to answer a replay: one', async () => {
    const { deps, waves } = recording({ ...items, calls: earlier });
    expect(await placeCall(deps, placing)).toMatchObject({ kind: 'replayed' });
    expect(waves).toHaveLength(1);
  });

  it.each(['Bearer svc_live_x', 'Bearer x', undefined])('to refuse a malformed key: none (%s)', async (header) => {
    const { deps, waves } = recording(items);
    expect(await placeCall(deps, { ...placing, authorization: header })).toMatchObject({ kind: 'refused' });
    expect(await getCall(deps, header, 'call_1')).toMatchObject({ kind: 'refused' });
    expect(waves).toEqual([]);
  });
});

describe('round trips of a delivery of CRM-A', () => {
  const connection = aConnection({ type: 'crm-a', token_hash: hashWebhookToken('token') });
  const delivering = async (leads: number, { token = 'token', connections = connection as object | null } = {}) => {
    const { deps, waves } = recording({ connections: connections ?? undefined });
    const read = () => readLeadPayloads(Array.from({ length: leads }, (_, index) => ({ ProspectID: `lead-${index}` })));
    const receipt = await receiveCrmALead(deps, { connectionId: 'conn_1', token, testToken: undefined, read });
    return { receipt, waves };
  };

  it('to accept up to ten leads: one read, then one send', async () => {
    for (const leads of [1, 10])
      expect(await delivering(leads)).toEqual({ receipt: 'received', waves: [['GetItem'], ['SendMessageBatch']] });
  });

  it('to accept more leads: one send for every ten, in parallel', async () => {
    const { waves } = await delivering(25);
    expect(waves).toEqual([['GetItem'], ['SendMessageBatch', 'SendMessageBatch', 'SendMessageBatch']]);
  });

  it('to refuse its sender: one read, then at most one write; for an unknown connection one read', async () => {
    expect(await delivering(1, { token: 'other' })).toEqual({
      receipt: 'unauthorized',
      waves: [['GetItem'], ['UpdateItem']],
    });
    const rejection = { at: '2026-03-02T05:59:30.000Z', reason: 'unauthorized' };
    expect(await delivering(1, { token: 'other', connections: { ...connection, rejection } })).toMatchObject({
      waves: [['GetItem']],
    });
    expect(await delivering(1, { connections: null })).toEqual({
      receipt: 'unknown connection',
      waves: [['GetItem']],
    });
  });
});

describe('round trips of a notification of CRM-B', () => {
  const connection = aConnection({ type: 'crm-b', token_hash: hashWebhookToken('token') });
  const notifying = async (leads: number, token = 'token') => {
    const { deps, waves } = recording({ connections: connection });
    const ids = Array.from({ length: leads }, (_, index) => 554_000_000_000_000 + index);
    const text = JSON.stringify({ token, module: 'Leads', operation: 'insert', ids });
    const receipt = await receiveCrmBNotification(deps, { connectionId: 'conn_1', open: () => openNotification(text) });
    return { receipt, waves };
  };

  it('to accept it: one read, then one send for every ten leads, in parallel', async () => {
    for (const [leads, sends] of [
      [0, 1],
      [1, 1],
      [50, 5],
      [100, 10],
    ] as const)
      expect(await notifying(leads)).toEqual({
        receipt: 'received',
        waves: [['GetItem'], Array(sends).fill('SendMessageBatch')],
      });
  });

  it('to accept 500 leads: at most ten sends at once', async () => {
    const { waves } = await notifying(500);
    expect(waves.slice(1)).toEqual(Array(5).fill(Array(10).fill('SendMessageBatch')));
  });

  it('to refuse its sender: one read, then one write', async () => {
    expect(await notifying(1, 'other')).toEqual({ receipt: 'unauthorized', waves: [['GetItem'], ['UpdateItem']] });
  });
});

describe('the first reason that applies refuses a request', () => {
  const placed = async (over: Record<string, object | undefined>, more: Partial<PlacingRequest> = {}) => {
    const { deps, waves } = recording({ ...items, ...over });
    const outcome = await placeCall(deps, { ...placing, ...more });
    return {
      kind: outcome.kind === 'refused' ? outcome.error : outcome.kind,
      wrote: waves.flat().includes('TransactWriteItems'),
    };
  };
  const noBody: Partial<PlacingRequest> = { body: { ok: false, error: 'invalid_request', message: 'no' } };
  const revoked = { ...key, revoked_at: '2026-02-01T00:00:00.000Z' };
  const unpermitted = { ...key, permissions: ['calls:read'] };
  const limited = { ...org, requests_per_minute: 0 };
  const suspended = { ...org, suspended_at: '2026-02-01T00:00:00.000Z' };
  const elsewhere = { ...assistant, org_id: 'org2' };

  it.each<[string, Record<string, object | undefined>, Partial<PlacingRequest>]>([
    ['invalid_api_key', { 'api-keys': undefined, organizations: limited, assistants: elsewhere }, noBody],
    ['invalid_api_key', { 'api-keys': { ...key, org_id: 'org2' } }, {}],
    ['revoked_api_key', { 'api-keys': { ...revoked, permissions: [] }, organizations: limited }, noBody],
    ['rate_limited', { 'api-keys': unpermitted, organizations: limited, assistants: elsewhere }, noBody],
    ['not_permitted', { 'api-keys': unpermitted, organizations: suspended, assistants: elsewhere }, noBody],
    ['invalid_body', { organizations: suspended, assistants: elsewhere, calls: earlier }, noBody],
    ['assistant_not_found', { organizations: suspended, assistants: undefined, calls: earlier }, {}],
    ['assistant_wrong_org', { organizations: suspended, assistants: elsewhere, calls: earlier }, {}],
    ['replayed', { organizations: suspended, calls: earlier, 'do-not-call': onTheList }, {}],
    ['do_not_call', { organizations: suspended, 'do-not-call': onTheList }, {}],
    ['org_suspended', { organizations: suspended }, {}],
  ])('with the result %s, and writes nothing', async (kind, over, request) => {
    expect(await placed(over, request)).toEqual({ kind, wrote: false });
  });

  it('for a call of another org as not found', async () => {
    for (const call of [aCall({ org_id: 'org2' }), undefined]) {
      const { deps } = recording({ ...items, calls: call });
      expect(await getCall(deps, authorization, aCall().call_id)).toMatchObject({ kind: 'call_not_found' });
    }
  });
});
