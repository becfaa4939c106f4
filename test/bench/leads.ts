import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { FunctionName } from '../../lib/functions.ts';
import startStack from '../support/start-stack.ts';
import stopStack from '../support/stop-stack.ts';

/**
 * `npm run bench:leads`: measures the rate at which leads are accepted and decided, and whether the last ones cost more
 * than the first. Dialing is paused, so that only the pipeline is measured. The floor is a route that does no I/O,
 * under the same load.
 */
const DELIVERIES = 2_000;
const SOME = 500;
const LOOK_MS = 100;
const AT_ONCE = 20;

await startStack();
try {
  const { aConnection, aLeadBurst, deliverAll } = await import('../support/leads.ts');
  const { anOrg, stores } = await import('../support/orgs.ts');
  const { environment, lambda, named, now, queueUrl, sqs } = await import('../support/stack.ts');

  const inTurns = async (count: number, ask: () => Promise<unknown>) => {
    const started = performance.now();
    let left = count;
    const client = async () => {
      while (left > 0) {
        left -= 1;
        await ask();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    return (performance.now() - started) / count;
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
  const connected = await aConnection({}, await anOrg({ credits: 1_000_000 }));
  const nowhere = () => fetch(`${environment.base_url}/nowhere`, { method: 'POST', body: '{}' }).then((a) => a.text());
  await inTurns(2 * AT_ONCE, nowhere);
  await deliverAll(connected, aLeadBurst(2 * AT_ONCE).bodies, AT_ONCE);
  const floor = await inTurns(SOME, nowhere);

  // Deliver first and decide afterwards, so that neither phase competes with the other for the CPU.
  const work = await switchOf('process-lead');
  await work(false);
  const { bodies, phones } = aLeadBurst(DELIVERIES);
  const started = performance.now();
  const statuses = await deliverAll(connected, bodies, AT_ONCE);
  if (statuses.some((status) => status !== 200)) throw new Error(`answered ${[...new Set(statuses)]}`);
  const accepted = performance.now() - started;

  await work(true);
  const begun = performance.now();
  /** Samples of the number of decided leads, from the depth of the queue every 100 ms. */
  const decidedAt: number[] = [];
  while (decidedAt.length < DELIVERIES) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const decided = DELIVERIES - (await waiting());
    while (decidedAt.length < decided) decidedAt.push(performance.now() - begun);
    if (performance.now() - begun > 900_000) throw new Error('the leads are not decided');
  }
  const drained = decidedAt.at(-1) ?? 0;
  const first = ((decidedAt[SOME] ?? 0) - (decidedAt[0] ?? 0)) / SOME;
  const last = (drained - (decidedAt[DELIVERIES - SOME] ?? 0)) / SOME;
  const { length: calls } = await stores.calls.listOfOrg(connected.org.orgId, { limit: 10_000 });
  const ms = (value: number) => value.toFixed(1);
  console.log(
    `${DELIVERIES} deliveries, ${AT_ONCE} at once: accepted in ${ms(accepted / 1000)} s (${ms((DELIVERIES * 1000) / accepted)}/s), then decided in ${ms(drained / 1000)} s`,
  );
  console.log(
    `accepting one took ${ms(accepted / DELIVERIES)} ms of the time, a route that does nothing ${ms(floor)} ms: ratio ${(accepted / DELIVERIES / floor).toFixed(2)}`,
  );
  console.log(
    `deciding one: the first ${SOME} took ${ms(first)} ms each, the last ${SOME} ${ms(last)} ms: ratio ${(last / first).toFixed(2)}`,
  );
  console.log(`${calls} calls for ${phones.length} phones and those of the warm-up`);
} finally {
  await stopStack();
}
