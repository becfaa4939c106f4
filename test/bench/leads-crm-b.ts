import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { FunctionName } from '../../lib/functions.ts';
import startStack from '../support/start-stack.ts';
import stopStack from '../support/stop-stack.ts';

/**
 * `npm run bench:crm-b`: measures the rate at which notifications of CRM-B are accepted and their leads decided,
 * whether the last leads cost more than the first, and the number of requests to CRM-B for each. Dialing is paused, so
 * that only the pipeline is measured. The floor is a route that does no I/O, under the same load.
 */
const IDS = 50;
/** Blocks of so many notifications each, so that the last leads resemble the first. */
const BLOCKS = 5;
const CREATIONS = 7;
const EDITS = 3;
const NOTIFICATIONS = BLOCKS * (CREATIONS + EDITS);
const TOLD = IDS * NOTIFICATIONS;
const SOME = 500;
const LOOK_MS = 100;
/** The most concurrent notifications that the emulator can handle. */
const AT_ONCE = 10;
/** The delay of every request to CRM-B, which simulates the network. */
const LATENCY_MS = 50;
/** More credits than an organization has in a day: a request costs one. */
const CREDITS = 1_000_000;

await startStack();
try {
  const { aCrmBConnection, CRM_B_OWNER, connectsOften } = await import('../support/crm-b.ts');
  const { anOrg, stores } = await import('../support/orgs.ts');
  const { aPhoneNumber } = await import('../support/rest.ts');
  const { crmB, environment, lambda, named, now, queueUrl, sqs } = await import('../support/stack.ts');

  const inTurns = async (requests: readonly (() => Promise<unknown>)[]) => {
    const started = performance.now();
    const left = [...requests];
    const client = async () => {
      for (let ask = left.shift(); ask; ask = left.shift()) await ask();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    return (performance.now() - started) / requests.length;
  };
  const waiting = async () => {
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl('leads'), AttributeNames: [...names] }),
    );
    return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
  };

  /** Enables or disables a queue's worker. */
  const switchOf = async (name: FunctionName) => {
    const FunctionName = named.function(name);
    const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName }));
    return (Enabled: boolean) =>
      lambda.send(new UpdateEventSourceMappingCommand({ UUID: EventSourceMappings[0]?.UUID, Enabled }));
  };

  await stores.slots.pause(now().toISOString());
  await crmB.settings({ ...connectsOften, credits: CREDITS, latencyMilliseconds: LATENCY_MS });
  const connected = await aCrmBConnection({}, await anOrg({ credits: CREDITS }));
  const channel = (await crmB.channels()).find(({ notifyUrl }) => notifyUrl.endsWith(connected.connectionId));
  if (!channel) throw new Error('the connection has no channel');
  const notifications = (operation: string, ids: readonly string[]) =>
    Array.from({ length: ids.length / IDS }, (_, index) => async () => {
      const answer = await fetch(channel.notifyUrl, {
        method: 'POST',
        body: JSON.stringify({
          server_time: now().getTime(),
          module: 'Leads',
          operation,
          ids: ids.slice(index * IDS, (index + 1) * IDS),
          channel_id: channel.channelId,
          token: channel.token,
        }),
      });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
    });
  const someLeads = (count: number) =>
    crmB.putLeads(
      Array.from({ length: count }, () => ({
        fields: { Last_Name: 'Rao', Mobile: aPhoneNumber() },
        owner: CRM_B_OWNER,
        quiet: true,
      })),
    );
  const nowhere = () => fetch(`${environment.base_url}/nowhere`, { method: 'POST', body: '{}' }).then((a) => a.text());

  const floorRequests = Array.from({ length: 200 }, () => nowhere);
  await inTurns(floorRequests.slice(0, 2 * AT_ONCE));
  await inTurns(notifications('insert', await someLeads(AT_ONCE * IDS)));
  while ((await waiting()) > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const floor = await inTurns(floorRequests);

  // Deliver first and decide afterwards, so that neither phase competes with the other for the CPU.
  const work = await switchOf('process-lead');
  await work(false);
  const blocks = await Promise.all(Array.from({ length: BLOCKS }, () => someLeads(IDS * CREATIONS)));
  const accepted = await inTurns(
    blocks.flatMap((leads) => [
      ...notifications('insert', leads),
      ...notifications('update', leads.slice(0, IDS * EDITS)),
    ]),
  );

  const asked = (await crmB.requests()).length;
  await work(true);
  const begun = performance.now();
  /** Samples of the number of decided leads, from the depth of the queue every 100 ms. */
  const decidedAt: number[] = [];
  while (decidedAt.length < TOLD) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const decided = TOLD - (await waiting());
    while (decidedAt.length < decided) decidedAt.push(performance.now() - begun);
    if (performance.now() - begun > 900_000) throw new Error('the leads are not decided');
  }
  const drained = decidedAt.at(-1) ?? 0;
  const first = ((decidedAt[SOME] ?? 0) - (decidedAt[0] ?? 0)) / SOME;
  const last = (drained - (decidedAt[TOLD - SOME] ?? 0)) / SOME;
  const requests = (await crmB.requests()).slice(asked);
  const { length: calls } = await stores.calls.listOfOrg(connected.orgId, { limit: 10_000 });
  const ms = (value: number) => value.toFixed(1);
  console.log(
    `${NOTIFICATIONS} notifications of ${IDS} ids, ${AT_ONCE} at once: accepted in ${ms((accepted * NOTIFICATIONS) / 1000)} s (${ms(1000 / accepted)}/s), their ${TOLD} leads then decided in ${ms(drained / 1000)} s`,
  );
  console.log(
    `accepting one took ${ms(accepted)} ms of the time, a route that does nothing ${ms(floor)} ms: ratio ${(accepted / floor).toFixed(2)}`,
  );
  console.log(
    `deciding a lead: the first ${SOME} took ${ms(first)} ms each, the last ${SOME} ${ms(last)} ms: ratio ${(last / first).toFixed(2)}`,
  );
  console.log(
    `${requests.length} requests to CRM-B: ${(requests.length / TOLD).toFixed(3)} a lead, at most ${await crmB.mostInFlight('GET /crm/v8/Leads/{id}')} leads at once; ${calls} calls for ${blocks.flat().length} leads and ${AT_ONCE * IDS} of the warm-up`,
  );
} finally {
  await stopStack();
}
