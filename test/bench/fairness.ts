import startStack from '../support/start-stack.ts';
import stopStack from '../support/stop-stack.ts';

/**
 * `npm run bench:fairness`: a burst of one organization takes all slots of the stage; then two others place a few
 * calls. Measures how long those wait for their dial. The floor is the time in which the platform ends a call, which
 * frees a slot.
 */
const BURST = 120;
const OTHERS = 3;
const SPEED = 20;
const TALK_SECONDS = 60;
const MOST_MS = 300_000;

await startStack();
try {
  const { anOrg, stores } = await import('../support/orgs.ts');
  const { aPhoneNumber, placeCall } = await import('../support/rest.ts');
  const { voice } = await import('../support/stack.ts');
  await voice.settings({ speed: SPEED, slots: 100 });
  await voice.defaultScript({ behaviour: 'answer', talkSeconds: TALK_SECONDS });
  const place = async (count: number) => {
    const org = await anOrg({ credits: 1_000_000 });
    return Promise.all(Array.from({ length: count }, () => placeCall(org, { phone_number: aPhoneNumber() })));
  };
  const sleep = () => new Promise((resolve) => setTimeout(resolve, 200));
  const isDialed = async (callId: string) => (await stores.calls.get(callId))?.dial_claimed_at !== undefined;

  const burst = await place(BURST);
  const started = performance.now();
  const others = (await Promise.all([place(OTHERS), place(OTHERS)])).flat();
  const waits: number[] = [];
  const left = new Set(others);
  while (left.size > 0) {
    for (const callId of left)
      if (await isDialed(callId)) {
        left.delete(callId);
        waits.push((performance.now() - started) / 1000);
      }
    if (performance.now() - started > MOST_MS) throw new Error('not dialed');
    await sleep();
  }
  const dialed = (await Promise.all(burst.map(isDialed))).filter(Boolean).length;
  const floor = TALK_SECONDS / SPEED;
  console.log(
    `${others.length} calls behind a burst of ${BURST}: dialed after ${waits.map((wait) => wait.toFixed(1)).join(', ')} s; ` +
      `a slot is free after ${floor.toFixed(1)} s: ratio ${(Math.max(...waits) / floor).toFixed(2)}; ` +
      `${dialed} calls of the burst were dialed by then`,
  );
} finally {
  await stopStack();
}
