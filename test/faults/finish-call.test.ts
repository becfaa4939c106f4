import { randomUUID } from 'node:crypto';
import type { Script } from '../../local/simulators/voice/scripts.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import { stores } from '../support/orgs.ts';
import { model } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import {
  aProbe,
  atEveryRequest,
  cases,
  disturbed,
  expectAllKept,
  isFinished,
  onLinux,
  place,
  send,
  settle,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

onLinux('finish-call, with one duplicate of its message', () => {
  const faults = disturbed('finish-call');

  const said = [{ role: 'user' as const, message: 'I have a complaint. Never call me again.' }];

  it.each(cases)(
    'finishes the call with recording, analysis and do-not-call wish: $fault at each effect, on a platform that $platform',
    async ({ platform, fault, script }) => {
      const { probes, kinds } = await atEveryRequest(
        async (target, isAlone) => {
          const probe = await aProbe({ script: { ...script, transcript: said } as Script });
          if (isAlone) await coldStart('finish-call');
          const armed = faults().arm('finish-call', { ...target, fault, callId: probe.callId });
          await place(probe);
          const hasStruck = await struck(armed, isFinished(probe));
          await send('finish', { call_id: probe.callId });
          return { probe, armed, struck: hasStruck };
        },
        { atOnce: 4 },
      );
      if (platform === 'answers')
        expect(kinds).toEqual(
          expect.arrayContaining([
            'DynamoDB GetItem calls',
            'DynamoDB UpdateItem calls',
            expect.stringMatching(/^voice GET .*mono-recording/),
            expect.stringMatching(/^storage GET/),
            expect.stringMatching(/^aws PUT .*recordings/),
            expect.stringMatching(/^aws GET .*transcripts/),
            'DynamoDB GetItem assistants',
            'DynamoDB TransactWriteItems calls do-not-call',
          ]),
        );
      await settle(probes);
      for (const call of await expectAllKept(probes)) await expectItsWish(call);
    },
  );

  it('finishes the call when the model breaks the connection, then times out, then answers', async () => {
    const mark = `mark-${randomUUID()}`;
    for (const kind of ['drop', 'hang'] as const) await model.fault({ kind, whenTranscriptHas: mark });
    const transcript = said.map((line) => ({ ...line, message: `${line.message} ${mark}` }));
    const probe = await aProbe({ script: { behaviour: 'answer', transcript } });
    await place(probe);
    await settle([probe]);
    for (const call of await expectAllKept([probe])) await expectItsWish(call);
    expect(await model.requests(mark)).toHaveLength(3);
  });
});

/** Expects the number on the list once, with the call in which the person asked for it. */
async function expectItsWish({ org_id, call_id, phone_number: phone, analysis, do_not_call_at }: Call): Promise<void> {
  if (analysis?.state !== 'done') return;
  expect(analysis.result).toMatchObject({ do_not_call: true, lead_intent: 'complaint' });
  expect(await stores.doNotCall.listOfOrg(org_id)).toEqual([{ org_id, phone, added_at: do_not_call_at, call_id }]);
}
