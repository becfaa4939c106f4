import { secondsAfter } from '../../../shared/domain/time/instants.ts';
import { aCall } from './call.ts';
import { callWorld } from './worlds/call-world.ts';
import { ORG } from './worlds/items.ts';
import { START } from './worlds/world.ts';

/** Calls that wait for two hours, a platform that records dial requests, and the queues between them. */
function aStage(waiting: number, over: Parameters<typeof callWorld>[1] = {}) {
  const calls = Array.from({ length: waiting }, (_, n) =>
    aCall({ call_id: `call_${n}`, dial_by: secondsAfter(START, 7_200), held: 0 }),
  );
  const world = callWorld(calls, over);
  const dialed: string[] = [];
  const { dial } = world.deps.voice;
  let ids = 0;
  world.deps.voice.dial = async (request) => {
    dialed.push(world.now);
    const outcome = await dial(request);
    ids += 1;
    return outcome.kind === 'accepted' ? { ...outcome, platformId: `p${ids}` } : outcome;
  };
  const { dialQueue, slotsQueue } = world.deps;
  return Object.assign(world, {
    dialed,
    /** Lets the workers of the queues run, second by second. */
    run: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        const changes = slotsQueue.due();
        if (changes.length > 0) await world.handOver(...changes);
        for (const { call_id } of dialQueue.due()) await world.dialCall(call_id);
        world.pass(1);
      }
    },
    gate: () => world.all('slots').find(({ scope }) => scope === 'platform'),
  });
}

/** The same world, with the organization on the waiting list. */
export const beginStage = async (waiting: number, over?: Parameters<typeof callWorld>[1]) => {
  const world = aStage(waiting, over);
  await world.handOver({ org_id: ORG, type: 'call.queued', at: START });
  return world;
};
