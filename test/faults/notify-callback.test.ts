import type { Script } from '../../local/simulators/voice/scripts.ts';
import { stores } from '../support/orgs.ts';
import { inTime, now } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import { callbackReceiver } from './support/receiver.ts';
import {
  aProbe,
  atEveryRequest,
  disturbed,
  expectAllKept,
  faultsToTry,
  isFinished,
  isMatrix,
  onLinux,
  type Probe,
  place,
  send,
  settle,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

/** Few notifications, so that disturbing each request of each takes seconds only. */
const script: Script = isMatrix ? { behaviour: 'answer' } : { behaviour: 'refuse' };

onLinux('notify-callback, with one duplicate of its message', () => {
  const faults = disturbed('notify-callback');
  let receiver: Awaited<ReturnType<typeof callbackReceiver>>;
  let callbackUrl: string;
  beforeAll(async () => {
    receiver = await callbackReceiver();
    callbackUrl = await faults().through('notify-callback', receiver.url, 'client');
  });
  afterAll(() => receiver?.stop());

  async function expectTold({ callId }: Probe, isAnalyzed: boolean): Promise<void> {
    // No mark of the call waits for the analysis notification.
    const kept = await inTime(
      () => stores.callbacks.listOfCall(callId),
      (callbacks) =>
        callbacks.every(({ state }) => state !== 'pending') &&
        isAnalyzed === callbacks.some(({ type }) => type === 'call.analyzed'),
      { seconds: 60, most: 30 },
    );
    expect(kept.some(({ type }) => type === 'call.analyzed')).toBe(isAnalyzed);
    const told = receiver.of(callId);
    for (const { webhook_id, type, state, body } of kept) {
      expect([type, state]).toEqual([type, expect.stringMatching(/^(delivered|superseded)$/)]);
      const deliveries = told.filter(({ webhookId }) => webhookId === webhook_id);
      if (state === 'delivered') expect(deliveries.length).toBeGreaterThanOrEqual(1);
      for (const delivery of deliveries) expect(delivery.body).toBe(body);
    }
  }

  it.each(faultsToTry)('notifies the client of the end under one webhook-id: %s at each effect', async (fault) => {
    const { probes, kinds } = await atEveryRequest(
      async (target, isAlone) => {
        const probe = await aProbe({ script, callbackUrl });
        if (isAlone) await coldStart('notify-callback');
        const armed = faults().arm('notify-callback', { ...target, fault, callId: probe.callId });
        await place(probe);
        const hasStruck = await struck(armed, isFinished(probe));
        await send('callbacks', { call_id: probe.callId, type: 'call.dialing', at: now().toISOString() });
        return { probe, armed, struck: hasStruck };
      },
      { atOnce: 4 },
    );
    expect(kinds).toEqual(
      expect.arrayContaining([
        'DynamoDB GetItem calls',
        'DynamoDB PutItem callbacks',
        'DynamoDB Query callbacks',
        'client POST /',
        'DynamoDB UpdateItem callbacks',
        'DynamoDB UpdateItem calls',
      ]),
    );
    await settle(probes);
    const calls = await expectAllKept(probes);
    for (const call of calls) expect(call.callback_status).toBe('delivered');
    const analyzed = new Set(calls.filter(({ analyzed_at }) => analyzed_at).map(({ call_id }) => call_id));
    for (const probe of probes) await expectTold(probe, analyzed.has(probe.callId));
  });
});
