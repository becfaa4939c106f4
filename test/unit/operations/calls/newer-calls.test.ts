import '../../support/silence.ts';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { acknowledge } from '../../../../shared/domain/calls/call-view.ts';
import { callIdFor } from '../../../../shared/domain/ids.ts';
import { hashApiKey, newApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { exportPerson } from '../../../../shared/operations/after-call/erasure/export-person.ts';
import { leaveTombstone } from '../../../../shared/operations/calls/leave-tombstone.ts';
import { placeCall } from '../../../../shared/operations/calls/place-call.ts';
import { streamWorker } from '../../../../shared/runtime/stream-worker.ts';
import { parseToShowUnlessErased, parseUnlessErased } from '../../../../shared/stores/calls/call-item.ts';
import { aCall, aClaimedCall } from '../../support/call.ts';
import { aContext } from '../../support/lambda.ts';
import { NEWER } from '../../support/sample-item.ts';
import { aReport, CALL, callWorld } from '../../support/worlds/call-world.ts';
import { anAssistant, ORG } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

const OTHER = 'call_other';

/** A live call whose status a newer version wrote, and another call that waits. */
function aStage() {
  const world = callWorld([aClaimedCall({ platform_id: 'p1', status: 'in_progress' }), aCall({ call_id: OTHER })]);
  const written = { ...world.find('calls', { call_id: CALL }), status: NEWER };
  world.put('calls', written);
  return Object.assign(world, { newer: () => world.find('calls', { call_id: CALL }), written });
}

describe('a call with a status of a newer version', () => {
  it.each([
    ['the dial', (world: ReturnType<typeof aStage>) => world.dialCall()],
    ['a report of its end', (world: ReturnType<typeof aStage>) => world.apply(aReport())],
  ])('is left as it is by %s, which fails and is repeated', async (_what, work) => {
    const world = aStage();
    const before = world.snapshot();
    await expect(work(world)).rejects.toThrow();
    expect(world.snapshot()).toEqual(before);
    expect(world.rung).toEqual([]);
  });

  it('is left as it is by recover-calls, which counts it and advances the others', async () => {
    const world = aStage();
    world.pass(200);
    expect(await world.recover()).toMatchObject({ failed: 1, handed_over: 1 });
    expect(world.counted).toEqual(['CallNotRecovered']);
    expect(world.newer()).toEqual(world.written);
    expect(world.stored(OTHER).reserved_at).toBe(world.now);
    expect(world.live()).toMatchObject({ stage: 2 });
  });

  it('does not ring again for a repeat of its request, which is answered as before', async () => {
    const apiKey = newApiKey(ORG);
    const call_id = callIdFor(ORG, 'order-7');
    const call = aCall({ org_id: ORG, call_id, request_id: 'request-0' });
    const world = callWorld([call], {
      assistants: [anAssistant()],
      'api-keys': [
        {
          ...{ key_hash: hashApiKey(apiKey), key_id: 'key_1', org_id: ORG, name: 'k' },
          ...{ permissions: ['calls:write'], created_at: START },
        },
      ],
    });
    world.put('calls', { ...world.find('calls', { call_id }), status: NEWER });
    const before = world.all('organizations');
    const request = {
      ...{ phone_number: call.phone_number, assistant_id: 'asst_1', metadata: {} },
      ...{ idempotency_key: 'order-7', callback_url: undefined },
    };
    const placing = { requestId: 'request-1', authorization: `Bearer ${apiKey}`, from: {} };
    const placed = await placeCall(world.common, { ...placing, body: { ok: true, request } });
    if (placed.kind !== 'replayed') throw new Error(placed.kind);
    expect(acknowledge(placed.call)).toMatchObject({ call_id, request_id: 'request-0' });
    expect([world.all('organizations'), world.all('calls')]).toMatchObject([before, [{ call_id, status: NEWER }]]);
  });

  it('is in the export of its person, without the data that only a newer version understands', async () => {
    const world = aStage();
    const { phone_number: phone } = aCall();
    world.put('calls', { ...world.newer(), placed_by: { kind: NEWER, address: '203.0.113.7' } });
    const deps = {
      ...world.common,
      ...world.stores,
      files: { findText: async () => undefined },
      personKey: 'key',
    };
    const { calls } = await exportPerson(deps, { kind: 'operator', name: 'ravi' }, { org_id: ORG, phone });
    expect(calls.map(({ call_id, status }) => [call_id, status]).sort()).toEqual([
      [CALL, NEWER],
      [OTHER, 'queued'],
    ]);
    expect(calls.find(({ call_id }) => call_id === CALL)?.placed_by).toEqual({ kind: NEWER });
  });

  it('leaves a tombstone after its retention, so that its id is not used again', async () => {
    const world = callWorld([]);
    const removed = { ...aCall({ idempotency_key: 'order-7' }), request_metadata: '{}', status: NEWER };
    const handler = streamWorker(
      parseUnlessErased,
      async () => undefined,
      async (item) => {
        const call = parseToShowUnlessErased(item);
        if (call) await leaveTombstone({ ...world.common, erasures: world.stores.erasures }, call);
      },
    );
    const image = marshall(removed) as Record<string, AttributeValue>;
    const record = { eventName: 'REMOVE', dynamodb: { SequenceNumber: '1', OldImage: image } } as DynamoDBRecord;
    expect(await handler({ Records: [record] }, aContext())).toEqual({ batchItemFailures: [] });
    expect(world.all('calls')).toMatchObject([{ call_id: CALL, erased_of: ORG }]);
  });
});
