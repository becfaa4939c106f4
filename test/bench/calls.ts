import startStack from '../support/stack/start-stack.ts';
import stopStack from '../support/stack/stop-stack.ts';

/**
 * `npm run bench:calls`: measures the throughput of calls, from the request to the end, with all slots of the platform
 * in use. The floor is the platform's own time: calls / slots x the length of a call.
 */
const CALLS = 100;
const SLOTS = 10;
const SPEED = 200;
const TALK_SECONDS = 42;

await startStack();
try {
  const { anOrg } = await import('../support/organizations/orgs.ts');
  const { aPhoneNumber, placeCall, readCall } = await import('../support/rest/rest.ts');
  const { voice } = await import('../support/stack/stack.ts');
  await voice.settings({ speed: SPEED, slots: SLOTS });
  await voice.defaultScript({ behaviour: 'answer', talkSeconds: TALK_SECONDS });
  const org = await anOrg({ credits: 1_000_000 });

  const started = performance.now();
  const calls = await Promise.all(
    Array.from({ length: CALLS }, () => placeCall(org, { phone_number: aPhoneNumber() })),
  );
  const placed = (performance.now() - started) / 1000;
  for (const callId of calls) {
    while ((await readCall(org, callId)).status !== 'completed') {
      if (performance.now() - started > 180_000) throw new Error(`not over: ${callId}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const drained = (performance.now() - started) / 1000;
  const floor = (CALLS / SLOTS) * (TALK_SECONDS / SPEED);
  console.log(
    `${CALLS} calls, ${SLOTS} slots: placed in ${placed.toFixed(1)} s (${(CALLS / placed).toFixed(0)}/s), over in ${drained.toFixed(1)} s`,
  );
  console.log(
    `the platform alone needs ${floor.toFixed(1)} s for them: ratio ${(drained / floor).toFixed(2)}; at most ${await voice.maxLive()} at once`,
  );
} finally {
  await stopStack();
}
