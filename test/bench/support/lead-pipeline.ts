import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { quantile } from './quantile.ts';

type Send = () => Promise<{ status: number }>;

const FLOOR_REQUESTS = 200;
const POLL_MS = 500;
const MAX_MS = 900_000;
/** The number of first and of last leads that are compared, as a share of all. */
const SHARE = 0.2;
const PROBE_MS = 30;
/** With the probes, the queue never becomes empty. */
const ALMOST_NONE = 10;
/** With fewer probes, the p99 is one of the few slowest values, which vary by half from run to run. */
const IDLE_PROBES = 1_000;
/** The limits of the ratios. */
const LIMITS = { ofTheLastLeads: 1.2, ofTheSlowestDeliveries: 1.5 };
const ms = (value: number) => value.toFixed(1);
const sleep = (milliseconds = POLL_MS) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends the requests, `atOnce` at a time. @returns the elapsed milliseconds, divided by the number of requests */
async function timePerRequest(requests: readonly Send[], atOnce: number, status: number): Promise<number> {
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

/** Compares the first leads with the last ones. @returns their number, and the milliseconds that each of them took */
export function paceOf(decidedAt: readonly number[], leads: number): { some: number; first: number; last: number } {
  const some = Math.ceil(leads * SHARE);
  const taken = (from: number, to: number) =>
    ((decidedAt.at(to) ?? Number.NaN) - (decidedAt.at(from) ?? Number.NaN)) / some;
  return { some, first: taken(0, some), last: taken(-1 - some, -1) };
}

/**
 * Measures the pipeline of leads in two phases, so that neither competes with the other for the CPU. Dialing is paused,
 * so that only the pipeline is measured. The floor is a route that does no I/O, under the same load.
 *
 * @param atOnce concurrent deliveries
 */
export async function leadPipeline(atOnce: number) {
  const { operating, OPERATOR } = await import('../../support/organizations/orgs.ts');
  const { pauseDialing } = await import('../../../shared/operations/calls/pause-dialing.ts');
  const { environment, lambda, named, queueUrl, sqs } = await import('../../support/stack/stack.ts');
  await pauseDialing(operating, OPERATOR);

  const waiting = async () => {
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl('lead-events'), AttributeNames: [...names] }),
    );
    return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
  };
  const FunctionName = named.function('process-lead');
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName }));
  const letDecide = (Enabled: boolean) =>
    lambda.send(new UpdateEventSourceMappingCommand({ UUID: EventSourceMappings[0]?.UUID, Enabled }));
  const floorRequest: Send = async () => {
    const answer = await fetch(`${environment.base_url}/v1/nowhere`, { method: 'POST', body: '{}' });
    await answer.arrayBuffer();
    return answer;
  };
  const floorRequests: Send[] = Array.from({ length: FLOOR_REQUESTS }, () => floorRequest);

  return {
    /** Sends the deliveries and leaves their leads undecided. */
    async accept(warmUp: readonly Send[], deliveries: readonly Send[]): Promise<void> {
      await timePerRequest(floorRequests.slice(0, 2 * atOnce), atOnce, 404);
      await timePerRequest(warmUp, atOnce, 200);
      while ((await waiting()) > 0) await sleep();
      const floor = await timePerRequest(floorRequests, atOnce, 404);
      await letDecide(false);
      const each = await timePerRequest(deliveries, atOnce, 200);
      console.log(
        `${deliveries.length} deliveries, ${atOnce} at once: accepted in ${ms((each * deliveries.length) / 1000)} s ` +
          `(${ms(1000 / each)}/s); one took ${ms(each)} ms of the time, a route that does nothing ${ms(floor)} ms: ` +
          `ratio ${(each / floor).toFixed(2)}`,
      );
    },

    /**
     * Waits until the accepted leads are decided.
     *
     * @param probe sends one more delivery to the webhook. Its time while leads are decided is compared with its time
     * while no lead is decided. The route without I/O shows what the busy machine adds.
     * @returns whether no ratio exceeds its limit
     */
    async decide(leads: number, probe?: Send): Promise<boolean> {
      const kinds = probe ? { 'a delivery': probe, 'the route that does nothing': floorRequest } : {};
      const times = Object.entries(kinds).map(([what, send]) => ({
        what,
        send,
        idle: [] as number[],
        busy: [] as number[],
      }));
      const probeAll = async (when: 'idle' | 'busy') => {
        for (const { send, [when]: taken } of times) {
          const sent = performance.now();
          await send();
          taken.push(performance.now() - sent);
        }
        await sleep(PROBE_MS);
      };
      for (let sent = 0; probe && sent < IDLE_PROBES; sent++) await probeAll('idle');
      await letDecide(true);
      const started = performance.now();
      let isOver = false;
      const probing = (async () => {
        while (probe && !isOver) await probeAll('busy');
      })();
      /** When each lead was decided, in the order of the decisions, sampled from the depth of the queue. */
      const decidedAt: number[] = [];
      for (let left = leads; left > ALMOST_NONE; ) {
        await sleep();
        // The leads of the probes wait in the same queue, in any order.
        const probed = (times[0]?.idle.length ?? 0) + (times[0]?.busy.length ?? 0);
        left = await waiting();
        while (decidedAt.length < leads + probed - left) decidedAt.push(performance.now() - started);
        if (performance.now() - started > MAX_MS) throw new Error('the leads are not decided');
      }
      isOver = true;
      await probing;
      const { some, first, last } = paceOf(decidedAt, leads);
      console.log(
        `${decidedAt.length} leads then decided in ${ms((decidedAt.at(-1) ?? 0) / 1000)} s: the first ${some} took ${ms(first)} ms each, ` +
          `the last ${some} ${ms(last)} ms: ratio ${(last / first).toFixed(2)} (limit ${LIMITS.ofTheLastLeads})`,
      );
      let isWithin = last / first <= LIMITS.ofTheLastLeads;
      for (const share of probe ? [0.5, 0.99] : []) {
        const limit = share === 0.99 ? LIMITS.ofTheSlowestDeliveries : undefined;
        for (const { what, send, idle, busy } of times) {
          const [before, meanwhile] = [quantile(idle, share), quantile(busy, share)];
          const limited = send === probe && limit;
          console.log(
            `${share * 100} % of the times of ${what}: at most ${ms(before)} ms while no lead was decided, ` +
              `${ms(meanwhile)} ms meanwhile: ratio ${(meanwhile / before).toFixed(2)}` +
              (limited ? ` (limit ${limited})` : ''),
          );
          if (limited && meanwhile / before > limited) isWithin = false;
        }
      }
      return isWithin;
    },
  };
}
