import { voice } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import {
  aProbe,
  atEveryRequest,
  disturbed,
  expectAllKept,
  faultsToTry,
  isFinished,
  onLinux,
  place,
  settle,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

/** Long enough for the transcript to pass through the bucket. */
const transcript = [{ role: 'user' as const, message: 'Do call me again. '.repeat(8_000) }];

onLinux('receive-voice-message, whose messages the platform repeats', () => {
  const faults = disturbed('receive-voice-message');

  it.each(faultsToTry)('rings once, ends the call and stores the transcript: %s at each effect', async (fault) => {
    const { probes, kinds } = await atEveryRequest(async (target) => {
      const probe = await aProbe({ script: { behaviour: 'answer', transcript } });
      // Messages of earlier calls would warm up a worker that has read the keys already.
      await voice.untilIdle();
      await coldStart('receive-voice-message');
      const armed = faults().arm('receive-voice-message', { ...target, fault });
      await place(probe);
      return { probe, armed, struck: await struck(armed, isFinished(probe)) };
    });
    expect(kinds).toEqual(
      expect.arrayContaining([
        'secretsmanager GetSecretValue voice-webhook-key',
        expect.stringMatching(/^aws PUT .*reported-transcripts/),
        'AmazonSQS SendMessage',
      ]),
    );
    await settle(probes);
    for (const call of await expectAllKept(probes))
      expect(call).toMatchObject({ status: 'completed', transcript_key: expect.any(String) });
  });
});
