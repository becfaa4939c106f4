import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';

type Send = () => Promise<{ status: number }>;

const FLOOR_REQUESTS = 200;
const POLL_MS = 100;
const MOST_MS = 900_000;
/** The number of first and of last leads that are compared. */
const SOME = 500;
const ms = (value: number) => value.toFixed(1);
const sleep = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));

/** Sends the requests, `atOnce` at a time. @returns the milliseconds that each took. */
async function timeOfEach(requests: readonly Send[], atOnce: number, status: number): Promise<number> {
  const started = performance.now();
  const left = [...requests];
  const client = async () => {
    for (let send = left.shift(); send; send = left.shift()) {
      const answer = await send();
      if (answer.status !== status) throw new Error(`answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return (performance.now() - started) / requests.length;
}

/**
 * Measures the pipeline of leads in two phases, so that neither competes with the other for the CPU. Dialing is paused,
 * so that only the pipeline is measured. The floor is a route that does no I/O, under the same load.
 *
 * @param atOnce concurrent deliveries
 */
export async function leadPipeline(atOnce: number) {
  const { stores } = await import('../../support/orgs.ts');
  const { environment, lambda, named, now, queueUrl, sqs } = await import('../../support/stack.ts');
  await stores.slots.pause(now().toISOString());

  const waiting = async () => {
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl('leads'), AttributeNames: [...names] }),
    );
    return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
  };
  const FunctionName = named.function('process-lead');
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName }));
  const letDecide = (Enabled: boolean) =>
    lambda.send(new UpdateEventSourceMappingCommand({ UUID: EventSourceMappings[0]?.UUID, Enabled }));
  const floorRequests: Send[] = Array.from({ length: FLOOR_REQUESTS }, () => async () => {
    const answer = await fetch(`${environment.base_url}/nowhere`, { method: 'POST', body: '{}' });
    await answer.arrayBuffer();
    return answer;
  });

  return {
    /** Sends the deliveries and leaves their leads undecided. */
    async accept(warmUp: readonly Send[], deliveries: readonly Send[]): Promise<void> {
      await timeOfEach(floorRequests.slice(0, 2 * atOnce), atOnce, 404);
      await timeOfEach(warmUp, atOnce, 200);
      while ((await waiting()) > 0) await sleep();
      const floor = await timeOfEach(floorRequests, atOnce, 404);
      await letDecide(false);
      const each = await timeOfEach(deliveries, atOnce, 200);
      console.log(
        `${deliveries.length} deliveries, ${atOnce} at once: accepted in ${ms((each * deliveries.length) / 1000)} s ` +
          `(${ms(1000 / each)}/s); one took ${ms(each)} ms of the time, a route that does nothing ${ms(floor)} ms: ` +
          `ratio ${(each / floor).toFixed(2)}`,
      );
    },

    /** Waits until the accepted leads are decided. */
    async decide(leads: number): Promise<void> {
      await letDecide(true);
      const started = performance.now();
      /** Samples of the number of decided leads, from the depth of the queue. */
      const decidedAt: number[] = [];
      while (decidedAt.length < leads) {
        await sleep();
        const decided = leads - (await waiting());
        while (decidedAt.length < decided) decidedAt.push(performance.now() - started);
        if (performance.now() - started > MOST_MS) throw new Error('the leads are not decided');
      }
      const drained = decidedAt.at(-1) ?? 0;
      const first = ((decidedAt[SOME] ?? 0) - (decidedAt[0] ?? 0)) / SOME;
      const last = (drained - (decidedAt[leads - SOME] ?? 0)) / SOME;
      console.log(
        `${leads} leads then decided in ${ms(drained / 1000)} s: the first ${SOME} took ${ms(first)} ms each, ` +
          `the last ${SOME} ${ms(last)} ms: ratio ${(last / first).toFixed(2)}`,
      );
    },
  };
}
