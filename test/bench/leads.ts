import startStack from '../support/stack/start-stack.ts';
import stopStack from '../support/stack/stop-stack.ts';
import { leadPipeline } from './support/lead-pipeline.ts';

/**
 * `npm run bench:leads`: measures the rate at which leads of CRM-A are accepted and decided, whether the last ones cost
 * more than the first, and how long a delivery takes meanwhile. Exits with 1 if a ratio exceeds its limit.
 *
 *   npm run bench:leads             5,000 deliveries
 *   npm run bench:leads -- 1000     1,000 deliveries
 */
const DELIVERIES = Number(process.argv[2] ?? 5_000);
const AT_ONCE = 20;

// On AWS, functions behind queues take no processor from a route.
process.env.IDLE_WORKERS = '1';
await startStack();
try {
  const { aConnection, aLeadBurst, deliver } = await import('../support/leads/leads.ts');
  const { anOrg, stores } = await import('../support/organizations/orgs.ts');
  const pipeline = await leadPipeline(AT_ONCE);
  const connected = await aConnection({}, await anOrg({ credits: 1_000_000 }));
  const deliveriesOf = (bodies: readonly object[]) => bodies.map((body) => () => deliver(connected, body));

  const { bodies, phones } = aLeadBurst(DELIVERIES);
  await pipeline.accept(deliveriesOf(aLeadBurst(2 * AT_ONCE).bodies), deliveriesOf(bodies));
  const { bodies: probes } = aLeadBurst(DELIVERIES);
  const isWithin = await pipeline.decide(DELIVERIES, () => deliver(connected, probes.pop() ?? {}));
  const { length: calls } = await stores.calls.listOfOrg(connected.org.orgId, { limit: 10_000 });
  console.log(`${calls} calls for ${phones.length} phones and those of the warm-up and of the probes`);
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await stopStack();
}
