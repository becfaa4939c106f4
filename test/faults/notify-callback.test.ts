import type { Script } from '../../local/simulators/voice/scripts.ts';
import { callbackReceiver } from '../support/after-call/callback-receiver.ts';
import { stores } from '../support/organizations/orgs.ts';
import { inTime, now } from '../support/stack/stack.ts';
import { aProbe, type Probe, place, send } from './support/probes.ts';
import { expectAllKept, settle } from './support/promises.ts';
import { disturbed, faultsToTry, isMatrix, onLinux } from './support/rounds.ts';

/** Few notifications, so that a fault at each of their requests takes seconds only. */
const script: Script = isMatrix ? { behaviour: 'answer' } : { behaviour: 'refuse' };

onLinux('notify-callback, with one duplicate of its message', () => {
  const { atEveryRequest, faults } = disturbed('notify-callback');
  let receiver: Awaited<ReturnType<typeof callbackReceiver>>;
  let address: string;
  let callbackUrl: string;
  beforeAll(async () => {
    receiver = await callbackReceiver();
    address = receiver.address();
    const { origin, pathname } = new URL(address);
    callbackUrl = (await faults().through('notify-callback', origin, 'client')) + pathname;
  });
  afterAll(() => receiver?.stop());

  async function expectNotified({ callId }: Probe, isAnalyzed: boolean): Promise<void> {
    // When the call is done, the notification of an earlier status may still be pending.
    const stored = await inTime(
      () => stores.callbacks.listOfCall(callId),
      (callbacks) =>
        callbacks.every(({ state }) => state !== 'pending') &&
        isAnalyzed === callbacks.some(({ type }) => type === 'call.analyzed'),
      { seconds: 60, most: 30 },
    );
    for (const { webhook_id, type, state, body } of stored) {
      expect([type, state]).toEqual([type, expect.stringMatching(/^(delivered|superseded)$/)]);
      const deliveries = receiver.at(address).filter(({ headers }) => headers['webhook-id'] === webhook_id);
      if (state === 'delivered') expect(deliveries.length).toBeGreaterThanOrEqual(1);
      for (const delivery of deliveries) expect(delivery.body).toBe(body);
    }
  }

  it.each(faultsToTry)(
    'notifies the client of the end under one webhook-id: %s at each kind of effect',
    async (fault) => {
      const { probes, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const probe = await aProbe({ script, callbackUrl });
          await arm(probe.callId);
          await place(probe);
          const again = () =>
            send('callbacks', { call_id: probe.callId, type: 'call.dialing', at: now().toISOString() });
          return { probe, again };
        },
        { atOnce: 5 },
      );
      expect(kinds['notify-callback']).toEqual(
        expect.arrayContaining([
          'DynamoDB GetItem calls',
          'DynamoDB PutItem callbacks',
          'DynamoDB Query callbacks',
          expect.stringMatching(/^client POST/),
          'DynamoDB UpdateItem callbacks',
          'DynamoDB UpdateItem calls',
        ]),
      );
      await settle(probes);
      const calls = await expectAllKept(probes);
      for (const call of calls) expect(call.callback_status).toBe('delivered');
      const analyzed = new Set(calls.filter(({ analyzed_at }) => analyzed_at).map(({ call_id }) => call_id));
      for (const probe of probes) await expectNotified(probe, analyzed.has(probe.callId));
    },
  );
});
