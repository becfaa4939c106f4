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

  it.each(cases)(
    'finishes its call with its recording: $fault at each of its requests, on a platform that $platform',
    async ({ platform, fault, script }) => {
      const { probes, kinds } = await atEveryRequest(
        async (target, isAlone) => {
          const probe = await aProbe({ script });
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
          ]),
        );
      await settle(probes);
      await expectAllKept(probes);
    },
  );
});
