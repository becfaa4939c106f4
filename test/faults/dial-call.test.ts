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

onLinux('dial-call, with one duplicate of its message', () => {
  const faults = disturbed('dial-call');

  it.each(cases)(
    'rings once, ends the call and balances the books: $fault at each effect, on a platform that $platform',
    async ({ platform, fault, script }) => {
      const { probes, kinds } = await atEveryRequest(
        async (target, isAlone) => {
          const probe = await aProbe({ script });
          if (isAlone) await coldStart('dial-call');
          const armed = faults().arm('dial-call', { ...target, fault, callId: probe.callId });
          await place(probe);
          const hasStruck = await struck(armed, isFinished(probe));
          await send('dial', { call_id: probe.callId });
          return { probe, armed, struck: hasStruck };
        },
        { atOnce: 4 },
      );
      if (platform === 'answers')
        expect(kinds).toEqual(
          expect.arrayContaining([
            'DynamoDB GetItem calls',
            'secretsmanager GetSecretValue voice',
            'DynamoDB TransactWriteItems calls slots',
            'voice POST /call',
            'DynamoDB UpdateItem calls',
          ]),
        );
      await settle(probes);
      await expectAllKept(probes);
    },
  );
});
