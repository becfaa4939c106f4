import { randomUUID } from 'node:crypto';
import type { FunctionName } from '../../lib/functions.ts';
import type { Script } from '../../local/simulators/voice/scripts.ts';
import { readVapiCall } from '../../shared/integrations/voice/vapi/messages.ts';
import { stores } from '../support/organizations/orgs.ts';
import { model, now, voice } from '../support/stack/stack.ts';
import { aProbe, type Probe, place, send } from './support/probes.ts';
import { expectAllKept, settle } from './support/promises.ts';
import { cases, disturbed, faultsToTry, onLinux } from './support/rounds.ts';

const transcriptOf = (message: string) => [{ role: 'user' as const, message }];
const complaint = 'I have a complaint. Never call me again.';

/** Repeats the platform's last message about the call, as the queue holds it. */
async function sendLastMessage({ phone, callId }: Probe): Promise<void> {
  const [known] = await voice.calls(phone);
  // Between the end and its report, the platform's record is incomplete and no message says so.
  const isReported = known?.call.status !== 'ended' || known.messages.some(({ type }) => type === 'end-of-call-report');
  const message = known && isReported && readVapiCall(known.call as never, now());
  if (message) await send('voice-events', { call_id: callId, message });
}

/** The duplicate messages. The platform repeats its messages, and the stream its records. */
const duplicates: Partial<Record<FunctionName, (probe: Probe) => Promise<void>>> = {
  'dial-call': ({ callId }) => send('dial', { call_id: callId }),
  'apply-voice-event': sendLastMessage,
  'finish-call': ({ callId }) => send('finish', { call_id: callId }),
};

/** Checks that the number is on the list once, with the call in which the person made the request. */
async function expectDoNotCallRequest({ callId }: Probe): Promise<void> {
  const call = await stores.calls.get(callId);
  if (call?.analysis?.state !== 'done') return;
  expect(call.analysis.result).toMatchObject({ do_not_call: true, lead_intent: 'complaint' });
  const { org_id, phone_number: phone, do_not_call_at: added_at } = call;
  expect(await stores.doNotCall.listOfOrg(org_id)).toEqual([{ org_id, phone, added_at, call_id: callId }]);
}

onLinux('the functions of a call placed by REST', () => {
  const { atEveryRequest } = disturbed(
    'dial-call',
    'apply-voice-event',
    'publish-call-events',
    'finish-call',
    'receive-voice-message',
  );

  it.each(cases)(
    'ring once, charge once, and store transcript, recording, analysis and do-not-call request: $fault at each kind of effect, with a duplicate message, on a platform that $platform',
    async ({ platform, fault, script }) => {
      const transcript = transcriptOf(complaint);
      const { probes, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const probe = await aProbe({
            script: { ...script, transcript, queueSeconds: 20, reportSeconds: 20 } as Script,
          });
          await arm(probe.callId);
          await place(probe);
          return { probe, again: async (name) => duplicates[name]?.(probe) };
        },
        { atOnce: 5, names: ['dial-call', 'apply-voice-event', 'publish-call-events', 'finish-call'], coldSpeed: 10 },
      );
      await settle(probes);
      const calls = await expectAllKept(probes);
      for (const probe of probes) await expectDoNotCallRequest(probe);
      if (platform !== 'answers') return;
      for (const call of calls)
        expect(call).toMatchObject({
          status: 'completed',
          duration: 42,
          cost: 1_000,
          transcript_key: expect.any(String),
        });
      expect(kinds).toEqual({
        'dial-call': expect.arrayContaining([
          'DynamoDB GetItem calls',
          'secretsmanager GetSecretValue voice',
          'DynamoDB TransactWriteItems calls usage organizations',
          'voice POST /call',
          'DynamoDB UpdateItem calls',
        ]),
        'apply-voice-event': expect.arrayContaining([
          'DynamoDB GetItem calls',
          'DynamoDB UpdateItem calls',
          expect.stringMatching(/^aws PUT .*transcripts/),
          'DynamoDB TransactWriteItems calls organizations credit-ledger usage slots',
        ]),
        'publish-call-events': ['AWSEvents PutEvents'],
        'finish-call': expect.arrayContaining([
          'DynamoDB GetItem calls',
          'DynamoDB UpdateItem calls',
          expect.stringMatching(/^voice GET .*mono-recording/),
          expect.stringMatching(/^storage GET/),
          expect.stringMatching(/^aws PUT .*recordings/),
          expect.stringMatching(/^aws GET .*transcripts/),
          'DynamoDB GetItem assistants',
          'DynamoDB TransactWriteItems calls do-not-call usage',
        ]),
      });
    },
  );

  it.each(faultsToTry)(
    'ring once and store a transcript that passes through the bucket: %s at each kind of effect of receive-voice-message',
    async (fault) => {
      const transcript = transcriptOf('Do call me again. '.repeat(8_000));
      const { probes, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const probe = await aProbe({ script: { behaviour: 'answer', transcript } });
          await arm(probe.callId);
          await place(probe);
          return { probe };
        },
        { atOnce: 5, names: ['receive-voice-message'] },
      );
      expect(kinds['receive-voice-message']).toEqual(
        expect.arrayContaining([expect.stringMatching(/^aws PUT .*reported-transcripts/), 'AmazonSQS SendMessage']),
      );
      await settle(probes);
      for (const call of await expectAllKept(probes))
        expect(call).toMatchObject({ status: 'completed', transcript_key: expect.any(String) });
    },
  );

  it('finishes the call when the model breaks the connection, then times out, then answers', async () => {
    const mark = `mark-${randomUUID()}`;
    for (const kind of ['drop', 'hang'] as const) await model.fault({ kind, whenTranscriptHas: mark });
    const transcript = transcriptOf(`${complaint} ${mark}`);
    const probe = await aProbe({ script: { behaviour: 'answer', transcript } });
    await place(probe);
    await settle([probe]);
    await expectAllKept([probe]);
    await expectDoNotCallRequest(probe);
    expect(await model.requests(mark)).toHaveLength(3);
  });
});
