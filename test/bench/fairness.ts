import startStack from '../support/stack/start-stack.ts';
import stopStack from '../support/stack/stop-stack.ts';

/**
 * `npm run bench:fairness`: a burst of organization A takes all lines of the stage; then B places three calls and C has
 * two leads. Measures how long the calls of B and C wait for their dial: 30 s are allowed. The floor is the time in
 * which the platform ends a call, which frees a line.
 */
const LINES = 6;
const BURST = 120;
const CALLS_OF_B = 3;
const LEADS_OF_C = 2;
const SPEED = 20;
const TALK_SECONDS = 60;
const MAX_MS = 300_000;
const ALLOWED_SECONDS = 30;

process.env.VOICE_SLOTS = String(LINES);
await startStack();
try {
  const { aConnection, deliver, leadBody } = await import('../support/leads/leads.ts');
  const { anOrg, stores } = await import('../support/organizations/orgs.ts');
  const { aPhoneNumber, placeCall } = await import('../support/rest/rest.ts');
  const { concurrently, voice } = await import('../support/stack/stack.ts');
  await voice.settings({ speed: SPEED, slots: 100 });
  await voice.defaultScript({ behaviour: 'answer', talkSeconds: TALK_SECONDS });
  const credits = 1_000_000;
  const place = async (count: number) => {
    const org = await anOrg({ credits });
    // More concurrent calls would conflict at the credit of their organization.
    return concurrently(10, Array.from({ length: count }, aPhoneNumber), (phone_number) =>
      placeCall(org, { phone_number }),
    );
  };
  const sleep = () => new Promise((resolve) => setTimeout(resolve, 200));
  const isDialed = async (callId: string) => (await stores.calls.get(callId))?.dial_claimed_at !== undefined;
  const connected = await aConnection({}, await anOrg({ credits }));
  const dialedLeads = async () =>
    (await stores.calls.listOfOrg(connected.org.orgId, { limit: LEADS_OF_C })).filter(
      ({ dial_claimed_at }) => dial_claimed_at !== undefined,
    ).length;

  const burst = await place(BURST);
  const started = performance.now();
  const [ofB] = await Promise.all([
    place(CALLS_OF_B),
    ...Array.from({ length: LEADS_OF_C }, () => deliver(connected, leadBody())),
  ]);
  const waits: Record<'B' | 'C', number[]> = { B: [], C: [] };
  while (waits.B.length + waits.C.length < CALLS_OF_B + LEADS_OF_C) {
    const dialed = { B: (await Promise.all(ofB.map(isDialed))).filter(Boolean).length, C: await dialedLeads() };
    const seconds = (performance.now() - started) / 1000;
    for (const org of ['B', 'C'] as const) while (waits[org].length < dialed[org]) waits[org].push(seconds);
    if (performance.now() - started > MAX_MS) throw new Error('not dialed');
    await sleep();
  }
  const dialed = (await Promise.all(burst.map(isDialed))).filter(Boolean).length;
  const floor = TALK_SECONDS / SPEED;
  const last = Math.max(...waits.B, ...waits.C);
  const formatSeconds = (seconds: readonly number[]) => seconds.map((wait) => wait.toFixed(1)).join(', ');
  console.log(
    `${LINES} lines, ${BURST} calls of A: the calls of B dialed after ${formatSeconds(waits.B)} s, the leads of C after ` +
      `${formatSeconds(waits.C)} s (${ALLOWED_SECONDS} s allowed); a line is free after ${floor.toFixed(1)} s: ` +
      `ratio ${(last / floor).toFixed(2)}; ${dialed} calls of A were dialed by then`,
  );
  process.exitCode = last <= ALLOWED_SECONDS ? 0 : 1;
} finally {
  await stopStack();
}
