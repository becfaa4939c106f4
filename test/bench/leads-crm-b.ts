import startStack from '../support/stack/start-stack.ts';
import stopStack from '../support/stack/stop-stack.ts';
import { leadPipeline } from './support/lead-pipeline.ts';

/**
 * `npm run bench:crm-b`: measures the rate at which notifications of CRM-B are accepted and their leads decided,
 * whether the last leads cost more than the first, and the number of requests to CRM-B for each.
 */
const IDS = 50;
/** Each block has the same creations and edits, so that the last leads resemble the first. */
const BLOCKS = 5;
const CREATIONS = 7;
const EDITS = 3;
const LEADS = IDS * BLOCKS * (CREATIONS + EDITS);
/** The most concurrent notifications that the emulator can handle. */
const AT_ONCE = 10;
/** The delay of every request to CRM-B, which simulates the network. */
const LATENCY_MS = 50;
/** More credits than an organization has in a day: a request costs one. */
const CREDITS = 1_000_000;

await startStack();
try {
  const { aCrmBConnection, CRM_B_OWNER, connectsOften } = await import('../support/connections/crm-b.ts');
  const { anOrg, stores } = await import('../support/organizations/orgs.ts');
  const { aPhoneNumber } = await import('../support/rest/rest.ts');
  const { crmB, now } = await import('../support/stack/stack.ts');
  const pipeline = await leadPipeline(AT_ONCE);
  await crmB.settings({ ...connectsOften, credits: CREDITS, latencyMilliseconds: LATENCY_MS });
  const connected = await aCrmBConnection({}, await anOrg({ credits: CREDITS }));
  const channel = (await crmB.channels()).find(({ notifyUrl }) => notifyUrl.endsWith(connected.connectionId));
  if (!channel) throw new Error('the connection has no channel');

  const { notifyUrl, channelId: channel_id, token } = channel;
  const notify = async (operation: string, ids: readonly string[]) => {
    const body = { server_time: now().getTime(), module: 'Leads', operation, ids, channel_id, token };
    const answer = await fetch(notifyUrl, { method: 'POST', body: JSON.stringify(body) });
    await answer.arrayBuffer();
    return answer;
  };
  const notifications = (operation: string, ids: readonly string[]) =>
    Array.from({ length: ids.length / IDS }, (_, index) => {
      const some = ids.slice(index * IDS, (index + 1) * IDS);
      return () => notify(operation, some);
    });
  const newLeads = (count: number) =>
    crmB.putLeads(
      Array.from({ length: count }, () => ({
        fields: { Last_Name: 'Rao', Mobile: aPhoneNumber() },
        owner: CRM_B_OWNER,
        quiet: true,
      })),
    );

  const warmUp = await newLeads(AT_ONCE * IDS);
  const blocks = await Promise.all(Array.from({ length: BLOCKS }, () => newLeads(IDS * CREATIONS)));
  await pipeline.accept(
    notifications('insert', warmUp),
    blocks.flatMap((leads) => [
      ...notifications('insert', leads),
      ...notifications('update', leads.slice(0, IDS * EDITS)),
    ]),
  );
  const { length: earlier } = await crmB.requests();
  process.exitCode = (await pipeline.decide(LEADS)) ? 0 : 1;
  const requests = (await crmB.requests()).slice(earlier);
  const { length: calls } = await stores.calls.listOfOrg(connected.orgId, { limit: 10_000 });
  console.log(
    `${requests.length} requests to CRM-B: ${(requests.length / LEADS).toFixed(3)} a lead, at most ` +
      `${await crmB.mostInFlight('GET /crm/v8/Leads/{id}')} leads at once; ${calls} calls for ` +
      `${blocks.flat().length} leads and ${warmUp.length} of the warm-up`,
  );
} finally {
  await stopStack();
}
