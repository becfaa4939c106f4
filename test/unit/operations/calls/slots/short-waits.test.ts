import { queueRow } from '../../../../../lib/queues.ts';
import type { Call } from '../../../../../shared/domain/calls/call.ts';
import { eventsOfChange } from '../../../../../shared/domain/calls/call-event.ts';
import { hashApiKey, newApiKey } from '../../../../../shared/domain/organizations/api-key.ts';
import type { Organization } from '../../../../../shared/domain/organizations/organization.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { type PlacingRequest, placeCall } from '../../../../../shared/operations/calls/place-call.ts';
import { withdrawCall } from '../../../../../shared/operations/calls/steps/withdraw-call.ts';
import { aReport, callWorld } from '../../../support/worlds/call-world.ts';
import { anAssistant, anOrg } from '../../../support/worlds/items.ts';
import { START } from '../../../support/worlds/world.ts';

const orgs = { A: 'orgaaaaaaaaaaaaaaaa', B: 'orgbbbbbbbbbbbbbbbb', C: 'orgcccccccccccccccc' } as const;
type Name = keyof typeof orgs;
const names = Object.keys(orgs) as Name[];

const SHORT_MINUTES = 1;
const LONG_MINUTES = 120;
const RECOVERY_SECONDS = 300;
/** More than the calls of a test hold. */
const CREDITS = 10_000_000;

const keys = new Map(names.map((name) => [name, newApiKey(orgs[name])]));

/** Three organizations with credit, each with an API key and an assistant of its name. */
const tenants = () => ({
  organizations: names.map((name) => anOrg({ org_id: orgs[name], available: CREDITS })),
  assistants: names.map((name) => anAssistant({ org_id: orgs[name], assistant_id: name })),
  'api-keys': [...keys].map(([name, key]) => ({
    ...{ key_hash: hashApiKey(key), key_id: name, org_id: orgs[name], name },
    ...{ permissions: ['calls:write'], created_at: START },
  })),
});

const requestOf = (name: Name, idempotency_key: string): PlacingRequest => {
  const asked = { phone_number: '+919812345678', assistant_id: name, metadata: {}, callback_url: undefined };
  const body = { ok: true, request: { ...asked, idempotency_key } } as const;
  return { requestId: idempotency_key, authorization: `Bearer ${keys.get(name)}`, from: {}, body };
};

/**
 * A stage with few lines, from the requests of three organizations to the ends of their calls.
 * @param talks the seconds of the conversations, in the order of their dials; later ones last as long as the last
 */
function aStage(lines: number, talks: readonly number[]) {
  const world = callWorld([], tenants());
  const { dialQueue, slotsQueue, voice } = world.deps;
  world.deps.stageSlots = lines;
  const { dial } = voice;
  voice.dial = async (request) => {
    const outcome = await dial(request);
    return outcome.kind === 'accepted' ? { ...outcome, platformId: `platform ${request.callId}` } : outcome;
  };

  /** The calls by name: A1 is the first one of A. */
  const placed = new Map<string, string>();
  const nameOf = (callId: string) => [...placed].find(([, id]) => id === callId)?.[0] ?? callId;
  const talking: { callId: string; from: string; to: string }[] = [];
  let published = new Map<string, Call>();
  let recoverAt = secondsAfter(START, RECOVERY_SECONDS);

  /** Sends the events of new changes to the queue, as stream and bus do. */
  const publish = async () => {
    const calls = world.calls();
    for (const call of calls)
      for (const event of eventsOfChange(published.get(call.call_id), call))
        if (queueRow('slots').events?.includes(event.type)) await slotsQueue.send(event);
    published = new Map(calls.map((call) => [call.call_id, call]));
  };
  const takeEnds = () => {
    const all = talking.splice(0);
    talking.push(...all.filter(({ to }) => to > world.now));
    return all.filter(({ to }) => to <= world.now);
  };
  const settle = async () => {
    for (;;) {
      await publish();
      const [changes, dials, ends] = [slotsQueue.due(), dialQueue.due(), takeEnds()];
      if (changes.length + dials.length + ends.length === 0) return;
      if (changes.length > 0) await world.handOver(...changes);
      for (const work of dials) {
        const seconds = talks[world.rung.length] ?? talks.at(-1) ?? 0;
        if ((await world.doWork(work)) !== 'accepted') continue;
        talking.push({ callId: work.call_id, from: world.now, to: secondsAfter(world.now, seconds) });
      }
      for (const { callId, from, to } of ends)
        await world.apply(aReport({ platform_id: `platform ${callId}`, started_at: from, ended_at: to }), callId);
    }
  };

  return {
    /** Places calls that may wait so long: the setting of their organization at this time. */
    place: async (name: Name, count: number, max_wait_minutes = LONG_MINUTES) => {
      const org = world.find('organizations', { org_id: orgs[name] }) as Organization;
      world.put('organizations', { ...org, max_wait_minutes });
      for (let left = count; left > 0; left -= 1) {
        const number = [...placed.keys()].filter((other) => other.startsWith(name)).length + 1;
        const idempotency_key = `${name}${number}`;
        const placing = await placeCall(world.deps, requestOf(name, idempotency_key));
        if (placing.kind !== 'placed') throw new Error(placing.kind);
        placed.set(idempotency_key, placing.call.call_id);
        await settle();
        world.pass(0.001);
      }
    },
    /** Lets all workers work, and recover-calls every five minutes. */
    run: async (seconds: number) => {
      const end = secondsAfter(world.now, seconds);
      for (;;) {
        await settle();
        const messages = [...slotsQueue.sent, ...dialQueue.sent].map(({ due }) => new Date(due).toISOString());
        const [next = end] = [...messages, ...talking.map(({ to }) => to), recoverAt].sort();
        if (next > end) break;
        world.now = next;
        if (next !== recoverAt) continue;
        recoverAt = secondsAfter(recoverAt, RECOVERY_SECONDS);
        await world.recover();
      }
      world.now = end;
    },
    /** The calls whose phones rang, in this order. */
    rung: () => world.rung.map(({ call_id }) => nameOf(call_id)),
    /** The seconds after the start of the test at which a call rang. */
    rungAfter: (call: string) => {
      const { at = '' } = world.rung.find(({ call_id }) => nameOf(call_id) === call) ?? {};
      return Math.floor((Date.parse(at) - Date.parse(START)) / 1000);
    },
    stored: (call: string) => world.stored(placed.get(call)),
    cancel: (call: string) =>
      withdrawCall(world.deps, world.stored(placed.get(call)), 'canceled', 'canceled_by_operator'),
    expired: () =>
      [...placed].flatMap(([name, callId]) => (world.stored(callId).ended_reason === 'expired' ? [name] : [])),
  };
}

/** The calls of A that take all lines, those that it still queues, and then a call of C and two of B. */
async function aBurst(waits: Partial<Record<Name, number>>) {
  const stage = aStage(3, [40, 50, 55, 45]);
  await stage.place('A', 20, waits.A);
  await stage.run(3);
  await stage.place('C', 2, waits.C);
  await stage.run(2);
  await stage.place('B', 2, waits.B);
  return stage;
}

describe('a call that may wait for only one minute', () => {
  it('rings in this minute, although another organization queued 20 calls before it, and only one line is freed', async () => {
    const stage = aStage(3, [40, 170]);
    await stage.place('A', 20);
    await stage.run(5);
    await stage.place('B', 1, SHORT_MINUTES);
    await stage.run(120);
    expect(stage.rung()).toEqual(['A1', 'A2', 'A3', 'B1']);
    expect(stage.rungAfter('B1')).toBe(40);
    expect(stage.stored('B1').dial_by < secondsAfter(START, 40 + 60)).toBe(true);
    await stage.run(3_600);
    expect([stage.expired(), stage.rung().length]).toEqual([[], 21]);
  });

  it('rings in this minute although each line is taken by an organization that has many older calls', async () => {
    const [one, two] = [aStage(1, [50]), aStage(2, [50])];
    for (const name of ['A', 'B'] as const) await two.place(name, 1);
    for (const stage of [one, two]) {
      await stage.place('A', 10);
      if (stage === two) await stage.place('B', 10);
      await stage.run(5);
      await stage.place('C', 1, SHORT_MINUTES);
      await stage.run(300);
      expect([stage.expired(), stage.rungAfter('C1')]).toEqual([[], 50]);
    }
  });

  it('rings in this minute although others of its organization are canceled again and again', async () => {
    const stage = aStage(1, [50]);
    for (const name of ['A', 'C'] as const) await stage.place(name, 10);
    await stage.run(1);
    await stage.place('B', 1, 2);
    await stage.place('B', 20);
    for (let number = 2; number <= 21; number += 1) {
      await stage.run(10);
      expect(await stage.cancel(`B${number}`)).toBe(true);
    }
    await stage.run(10);
    expect([stage.expired(), stage.rung().slice(0, 3)]).toEqual([[], ['A1', 'C1', 'B1']]);
  });

  it('rings after the call of a third organization that was placed before it and may wait for two hours', async () => {
    const stage = await aBurst({ B: SHORT_MINUTES });
    await stage.run(58);
    expect(stage.rung()).toEqual(['A1', 'A2', 'A3', 'C1', 'B1', 'A4']);
    expect(['C1', 'B1', 'A4'].map(stage.rungAfter)).toEqual([40, 50, 55]);
  });

  it('gives its organization no second slot: the next call of that kind expires', async () => {
    const stage = await aBurst({ B: SHORT_MINUTES });
    await stage.run(3_600);
    expect(stage.expired()).toEqual(['B2']);
    expect(stage.stored('B2')).toMatchObject({ status: 'failed', attempts: 0 });
    expect(stage.rung()).toHaveLength(20 + 2 + 1);
  });

  it.each<Partial<Record<Name, number>>>([{ A: SHORT_MINUTES }, { B: SHORT_MINUTES }, { C: SHORT_MINUTES }])(
    'rings when it would ring if all could wait for two hours: %j',
    async (waits) => {
      const [stage, patient] = [await aBurst(waits), await aBurst({})];
      for (const each of [stage, patient]) await each.run(58);
      expect(stage.rung().map((call) => [call, stage.rungAfter(call)])).toEqual(
        patient.rung().map((call) => [call, patient.rungAfter(call)]),
      );
    },
  );

  it('rings after the older calls of its organization that may wait for two hours', async () => {
    const stage = aStage(2, [20, 30]);
    await stage.place('A', 4);
    await stage.run(5);
    await stage.place('A', 2, SHORT_MINUTES);
    await stage.run(3_600);
    expect(stage.rung()).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'A6']);
    expect(stage.rungAfter('A6')).toBeLessThan(5 + 60);
  });

  it('expires rather than ring before the older calls of its organization', async () => {
    const stage = aStage(2, [40]);
    await stage.place('A', 4);
    await stage.run(5);
    await stage.place('A', 1, SHORT_MINUTES);
    await stage.run(3_600);
    expect([stage.rung(), stage.expired()]).toEqual([['A1', 'A2', 'A3', 'A4'], ['A5']]);
  });
});
