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

onLinux('publish-call-events, whose changes come again when it dies', () => {
  const faults = disturbed('publish-call-events');

  it.each(faultsToTry)('lets calls ring once, end and balance their books: %s at each effect', async (fault) => {
    const { probes, kinds } = await atEveryRequest(async (target) => {
      const probe = await aProbe();
      const armed = faults().arm('publish-call-events', { ...target, fault, callId: probe.callId });
      await place(probe);
      return { probe, armed, struck: await struck(armed, isFinished(probe)) };
    });
    expect(new Set(kinds)).toEqual(new Set(['AWSEvents PutEvents']));
    await settle(probes);
    await expectAllKept(probes);
  });
});
