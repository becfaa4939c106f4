import '../support/silence.ts';
import { inspect } from 'node:util';
import type { SQSEvent } from 'aws-lambda';
import fc from 'fast-check';
import { type CallWork, callWork } from '../../../shared/messages/call-work.ts';
import { leadEvent } from '../../../shared/messages/lead-event.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { queueWorker } from '../../../shared/runtime/queue-worker.ts';
import { aContext } from '../support/lambda.ts';

/** An event with the members that a worker reads. */
const eventOf = (bodies: string[]) =>
  ({ Records: bodies.map((body, index) => ({ messageId: `message-${index}`, body })) }) as SQSEvent;
const bodyOf = (call_id: string) => JSON.stringify({ call_id });

/**
 * Processes messages; those of the calls in `failing` throw. @returns the messages that remain and those processed.
 */
async function run(bodies: string[], failing: string[] = []) {
  const worked: CallWork[] = [];
  const handler = queueWorker(callWork, async (message) => {
    worked.push(message);
    if (failing.includes(message.call_id)) throw new Error('no');
    return 'done';
  });
  const { batchItemFailures } = await handler(eventOf(bodies), aContext());
  return { stays: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), worked };
}

describe('a queue worker', () => {
  it('completes a batch in which no message fails', async () => {
    expect(await run([bodyOf('a'), bodyOf('b')])).toEqual({ stays: [], worked: [{ call_id: 'a' }, { call_id: 'b' }] });
  });

  it('leaves exactly the failed messages on the queue and processes each message once', async () => {
    const calls = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 1, maxLength: 10 });
    const batches = calls.chain((ids) => fc.record({ ids: fc.constant(ids), failing: fc.subarray(ids) }));
    await fc.assert(
      fc.asyncProperty(batches, async ({ ids, failing }) => {
        const { stays, worked } = await run(ids.map(bodyOf), failing);
        expect(stays.sort()).toEqual(failing.map((id) => `message-${ids.indexOf(id)}`).sort());
        expect(worked.map(({ call_id }) => call_id).sort()).toEqual([...ids].sort());
      }),
      { numRuns: 50 },
    );
  });

  it('reports a single failed message without failing as a whole', async () => {
    expect(await run([bodyOf('a')], ['a'])).toMatchObject({ stays: ['message-0'] });
  });

  it.each(['', 'no JSON', '{}', '[]', 'null', '{"call_id":7}'])(
    'leaves a message that cannot be read on the queue, and no other: %j',
    async (body) => {
      expect(await run([bodyOf('a'), body, bodyOf('b')])).toEqual({
        stays: ['message-1'],
        worked: [{ call_id: 'a' }, { call_id: 'b' }],
      });
    },
  );

  it('passes on only the declared members of a message', async () => {
    const { worked } = await run([JSON.stringify({ call_id: 'a', type: 'call.queued', notify: false })]);
    expect(worked).toEqual([{ call_id: 'a' }]);
  });
});

describe('a message that fails', () => {
  const recordOf = (deliveries: number) =>
    ({
      messageId: 'message',
      body: bodyOf('a'),
      receiptHandle: 'handle',
      attributes: { ApproximateReceiveCount: String(deliveries) },
    }) as SQSEvent['Records'][number];
  const hidden: [string, number][] = [];
  const handler = (hide = async (handle: string, seconds: number) => void hidden.push([handle, seconds])) =>
    queueWorker(callWork, () => Promise.reject(new Error('no')), { hide });

  it('is hidden for longer after each delivery, 15 minutes at most', async () => {
    for (const deliveries of [1, 2, 3, 4]) await handler()({ Records: [recordOf(deliveries)] }, aContext());
    expect(hidden).toEqual([60, 240, 900, 900].map((seconds) => ['handle', seconds]));
  });

  it('stays on the queue if it cannot be hidden', async () => {
    const refusing = handler(() => Promise.reject(new Error('throttled')));
    const { batchItemFailures } = await refusing({ Records: [recordOf(1)] }, aContext());
    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message' }]);
  });
});

describe('the log of a worker', () => {
  const lead = {
    event_id: 'evt_1',
    connection_id: 'conn_1',
    source: 'webhook',
    event: 'new_lead',
    test: false,
    at: '2026-03-02T06:00:00.000Z',
    lead: { lead_id: 'SECRET', phones: ['SECRET'], do_not_call: false, fields: { FirstName: 'SECRET' } },
    payload_keys: ['SECRET'],
  };
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** @returns all log entries of all levels */
  async function logged(body: string, work: () => Promise<string> = async () => 'call queued') {
    const info = jest.spyOn(logger, 'info').mockImplementation(() => {});
    const error = jest.spyOn(logger, 'error').mockImplementation(() => {});
    await queueWorker(leadEvent, work)(eventOf([body]), aContext());
    return { info: info.mock.calls, error: error.mock.calls };
  }

  it('contains call, event, connection and outcome, and no other part of a message', async () => {
    expect(await logged(JSON.stringify(lead))).toEqual({
      info: [['done', { event_id: 'evt_1', connection_id: 'conn_1', outcome: 'call queued' }]],
      error: [],
    });
  });

  it('contains them even if the work fails', async () => {
    const failure = new Error('no');
    const { info, error } = await logged(JSON.stringify(lead), async () => {
      throw failure;
    });
    expect(info).toEqual([]);
    expect(error).toEqual([['failed', { event_id: 'evt_1', connection_id: 'conn_1', error: failure }]]);
  });

  it('quotes no part of a message that cannot be read', async () => {
    for (const body of ['SECRET', '{"SECRET', '"SECRET"', JSON.stringify({ ...lead, source: 'SECRET' })]) {
      const { error } = await logged(body);
      expect(error).toHaveLength(1);
      expect(error[0]?.[0]).toBe('a message cannot be read');
      expect(inspect(error, { depth: 9 })).toContain('message-0');
      expect(inspect(error, { depth: 9 })).not.toContain('SECRET');
      jest.restoreAllMocks();
    }
  });
});
