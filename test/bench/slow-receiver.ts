import type { TestOrg } from '../support/organizations/orgs.ts';
import startStack from '../support/stack/start-stack.ts';
import stopStack from '../support/stack/stop-stack.ts';

/**
 * `npm run bench:slow-receiver`: sends 60 notifications to a receiver that hangs, and then ten notifications of another
 * organization to a healthy one. Measures how long those ten take; then the same beside 60 receivers of one
 * organization that hang, with two notifications each. The floor is the same run with a receiver that refuses at once.
 * Exits with 1 if the ten take more than 20 seconds.
 */
const MAX_SECONDS = 20;
const SLOW_CALLS = 12;
const SLOW_HOSTS = 60;
const QUICK_CALLS = 5;
const SLOW_EVENTS = ['call.dialing', 'call.ringing', 'call.in_progress', 'call.completed', 'call.analyzed'];
const QUICK_EVENTS = ['call.completed', 'call.analyzed'];

await startStack();
try {
  const { send } = await import('../faults/support/probes.ts');
  const { callbackReceiver } = await import('../support/after-call/callback-receiver.ts');
  const { aFinishedCall } = await import('../support/calls/finished-call.ts');
  const { anOrg } = await import('../support/organizations/orgs.ts');
  const { concurrently, eventually, nothingIsUnderWay, now } = await import('../support/stack/stack.ts');
  const [receiver, hanging] = await Promise.all([callbackReceiver(), callbackReceiver()]);

  /** Ended calls with an event of each type. */
  const eventsOf = async (org: TestOrg, urls: readonly string[], types: readonly string[]) => {
    const calls = await concurrently(5, urls, (callback_url) =>
      aFinishedCall(org, undefined, { callback_url, callback_status: 'pending' }),
    );
    return calls.flatMap(({ call_id }) => types.map((type) => ({ call_id, type, at: now().toISOString() })));
  };
  const notify = (events: readonly object[]) => concurrently(10, events, (event) => send('callbacks', event));
  /** @returns the seconds that the quick notifications take beside those of one organization to these addresses */
  const timeBeside = async (slowUrls: readonly string[], slowEvents: readonly string[]) => {
    const url = receiver.address();
    const [one, other] = await Promise.all([anOrg(), anOrg()]);
    const slow = await eventsOf(one, slowUrls, slowEvents);
    const quick = await eventsOf(other, Array(QUICK_CALLS).fill(url), QUICK_EVENTS);
    await nothingIsUnderWay();
    await notify(slow);
    const start = performance.now();
    await notify(quick);
    await eventually(
      async () => receiver.at(url).length,
      (count) => count === quick.length,
      300,
    );
    return (performance.now() - start) / 1000;
  };

  const floor = await timeBeside(Array(SLOW_CALLS).fill(receiver.address({ status: 500 })), SLOW_EVENTS);
  const address = hanging.address('hangs');
  const beside = await timeBeside(Array(SLOW_CALLS).fill(address), SLOW_EVENTS);
  console.log(
    `${QUICK_CALLS * QUICK_EVENTS.length} callbacks took ${beside.toFixed(1)} s beside a hanging receiver, ` +
      `${floor.toFixed(1)} s beside one that refuses: ratio ${(beside / floor).toFixed(2)}; ` +
      `the hanging receiver got ${hanging.at(address).length} requests`,
  );
  const many = await Promise.all(Array.from({ length: SLOW_HOSTS }, () => callbackReceiver()));
  const addresses = many.map((one) => one.address('hangs'));
  const besideMany = await timeBeside(addresses, QUICK_EVENTS);
  const requests = many.flatMap((one, index) => one.at(addresses[index] ?? ''));
  console.log(
    `… and ${besideMany.toFixed(1)} s beside ${SLOW_HOSTS} hosts of one organization that hang, ` +
      `which got ${requests.length} requests: ratio ${(besideMany / floor).toFixed(2)}`,
  );
  process.exitCode = Math.max(beside, besideMany) > MAX_SECONDS ? 1 : 0;
  for (const one of [receiver, hanging, ...many]) one.stop();
} finally {
  await stopStack();
}
