import startStack from '../support/stack/start-stack.ts';
import stopStack from '../support/stack/stop-stack.ts';
import { quantile } from './support/quantile.ts';

/**
 * `npm run bench`: measures the cost of two routes as ratios to a floor from the same run: the same gateway and runtime
 * with an answer that needs no read. The three take turns, because the machine's speed drifts; only the ratios are
 * meaningful.
 */
const ROUNDS = 300;
const WARM_UP = 30;

await startStack();
try {
  const { anOrg } = await import('../support/organizations/orgs.ts');
  const { request } = await import('../support/rest/rest.ts');
  const org = await anOrg({ credits: 1_000_000, limits: { max_live_calls: 0 } });
  const post = (phone: number) =>
    request('POST', '/v1/calls/outbound', {
      key: org.apiKey,
      body: { phone_number: `+9195${String(10_000_000 + phone)}`, assistant_id: org.assistantId },
    });
  const { body } = await post(0);

  const routes: Record<string, (round: number) => Promise<unknown>> = {
    'floor (no read)': () => request('GET', '/v1/nowhere'),
    'GET call': () => request('GET', `/v1/calls/${body.call_id}`, { key: org.apiKey }),
    'POST outbound': (round) => post(round + 1),
  };
  const times = Object.fromEntries(Object.keys(routes).map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round += 1)
    for (const [name, send] of Object.entries(routes)) {
      const started = performance.now();
      await send(round + WARM_UP);
      if (round >= 0) times[name]?.push(performance.now() - started);
    }

  const floor = quantile(times['floor (no read)'] ?? [], 0.5);
  console.log(
    `${ROUNDS} requests each, one after the other, in turns; milliseconds, and the median against the floor's`,
  );
  for (const [name, values] of Object.entries(times)) {
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((q) => quantile(values, q)) as [number, number, number];
    console.log(
      `${name.padEnd(16)} p50 ${p50.toFixed(1).padStart(6)}  p95 ${p95.toFixed(1).padStart(6)}  p99 ${p99.toFixed(1).padStart(6)}  ratio ${(p50 / floor).toFixed(2)}`,
    );
  }
} finally {
  await stopStack();
}
