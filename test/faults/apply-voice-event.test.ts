import type { Script } from '../../local/simulators/voice/scripts.ts';
import { readVapiCall } from '../../shared/integrations/voice/vapi/messages.ts';
import { now, voice } from '../support/stack.ts';
import {
  aProbe,
  atEveryRequest,
  cases,
  disturbed,
  expectAllKept,
  isFinished,
  onLinux,
  type Probe,
  place,
  send,
  settle,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

/** The platform's last message about the call, as the queue holds it. */
async function sayAgain({ phone, callId }: Probe): Promise<void> {
  const [known] = await voice.calls(phone);
  // Between the end and its report, the platform's record is incomplete and no message says so.
  const isTold = known?.call.status !== 'ended' || known.messages.some(({ type }) => type === 'end-of-call-report');
  const message = known && isTold && readVapiCall(known.call as never, now());
  if (message) await send('voice-events', { call_id: callId, message });
}

onLinux('apply-voice-event, with one duplicate of a message', () => {
  const faults = disturbed('apply-voice-event');

  it.each(cases)(
    'rings once, ends the call and charges it once: $fault at each effect, on a platform that $platform',
    async ({ platform, fault, script }) => {
      const { probes, kinds } = await atEveryRequest(async (target) => {
        const probe = await aProbe({
          script: { ...script, queueSeconds: 20, reportSeconds: 20 } as Script,
        });
        const armed = faults().arm('apply-voice-event', { ...target, fault, callId: probe.callId });
        await place(probe);
        const hasStruck = await struck(armed, isFinished(probe));
        await sayAgain(probe);
        return { probe, armed, struck: hasStruck };
      });
      if (platform === 'answers')
        expect(kinds).toEqual(
          expect.arrayContaining([
            'DynamoDB GetItem calls',
            'DynamoDB UpdateItem calls',
            expect.stringMatching(/^aws PUT .*transcripts/),
            'DynamoDB TransactWriteItems calls organizations credit-ledger slots',
          ]),
        );
      await settle(probes);
      const calls = await expectAllKept(probes);
      if (platform === 'answers')
        for (const call of calls)
          expect(call).toMatchObject({
            status: 'completed',
            duration: 42,
            cost: 1_000,
            transcript_key: expect.any(String),
          });
    },
  );
});
