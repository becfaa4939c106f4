import type { Fault } from '../../local/simulators/help-desk/faults.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import { aHelpDeskConnection, anAnalysis, aTicketCall, queueTicket } from '../support/help-desk.ts';
import { anOrg, stores, type TestOrg } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { deadLettersOf, helpDesk, inTime } from '../support/stack.ts';
import { killWorker, workersOf } from '../support/worker-processes.ts';
import { isMatrix, onLinux } from './support/rounds.ts';

import.meta.jest.setTimeout(isMatrix ? 2_400_000 : 600_000);

/** `npm run test:matrix` makes many more. */
const CALLS = isMatrix ? 500 : 60;
/** Workers to kill while they have work. */
const KILLS = isMatrix ? 40 : 6;
/** Concurrency of the function (lib/functions.ts). */
const AT_ONCE = 5;
const STEP_SECONDS = 120;
const MOST_STEPS = 120;

const TICKETS = 'POST /api/v1/tickets';
const CONTACTS = 'POST /api/v1/contacts';

/** The fault that the n-th call's requests meet, by its phone. */
const fates: [route: string, kind: Fault['kind']][][] = [
  [],
  [[TICKETS, 'drop-after']],
  [[CONTACTS, 'drop-after']],
  [
    [CONTACTS, 'server-error-after'],
    [TICKETS, 'cut-after'],
  ],
  [[TICKETS, 'drop']],
  [[TICKETS, 'too-many-requests']],
];

type Planned = { phone_number: string; qualifies: boolean; over: Partial<Call> };

/**
 * One in five has another intent, one in ten failed, and one in six shares its phone, hence its text, with the previous
 * one.
 */
function planned(count: number): Planned[] {
  const plans: Planned[] = [];
  for (let index = 0; index < count; index += 1) {
    const phone_number = index % 6 === 5 ? (plans[index - 1]?.phone_number ?? '') : aPhoneNumber();
    const isOther = index % 5 === 4;
    const hasFailed = index % 10 === 3;
    const over: Partial<Call> = {
      ...(isOther && { analysis: anAnalysis({ lead_intent: 'sales' }) }),
      ...(hasFailed && { status: 'failed' }),
    };
    plans.push({ phone_number, qualifies: !isOther && !hasFailed, over });
  }
  return plans;
}

async function finishAll(org: TestOrg, plans: readonly Planned[]): Promise<string[]> {
  const ids: string[] = [];
  const left = [...plans.entries()];
  const client = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [index, { phone_number, over }] = next;
      const files = { transcript_key: undefined, recording: { state: 'none' as const } };
      const { call_id } = await aTicketCall(org, { phone_number, ...files, ...over });
      ids[index] = call_id;
      await queueTicket(call_id);
      if (index % 3 === 0) await queueTicket(call_id);
    }
  };
  await Promise.all(Array.from({ length: 10 }, client));
  return ids;
}

/** Kills workers one by one while work remains, as if their machines were lost. @returns the number of kills. */
async function killSome(isOver: () => boolean): Promise<number> {
  let killed = 0;
  while (killed < KILLS && !isOver()) {
    const [pid] = await workersOf('create-ticket');
    if (pid !== undefined) {
      killWorker(pid);
      killed += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
  return killed;
}

onLinux('a burst of finished calls', () => {
  beforeAll(() => helpDesk.reset());

  it(`${CALLS} finished calls with duplicates, killed workers and lost answers: creates exactly one ticket per qualifying call`, async () => {
    const org = await anOrg();
    await aHelpDeskConnection(org, { tags: ['voice'] });
    const plans = planned(CALLS);
    const phones = [...new Set(plans.map(({ phone_number }) => phone_number))];
    for (const [index, phone] of phones.entries())
      for (const [route, kind] of fates[index % fates.length] ?? [])
        await helpDesk.fault({ route, kind, containing: phone, times: 1 } as Fault);

    let isOver = false;
    const killing = killSome(() => isOver);
    const ids = await finishAll(org, plans);
    const calls = await inTime(
      () => stores.calls.listOfOrg(org.orgId, { limit: CALLS }),
      (found) => found.every(({ ticket_work }) => ticket_work === 'done'),
      { seconds: STEP_SECONDS, most: MOST_STEPS },
    );
    expect(calls).toHaveLength(CALLS);
    isOver = true;
    const killed = await killing;

    const wanted = plans.flatMap(({ qualifies }, index) => (qualifies ? [ids[index]] : []));
    const withTicket = calls.filter(({ ticket }) => ticket?.state === 'written');
    expect(withTicket.map(({ call_id }) => call_id).sort()).toEqual([...wanted].sort());
    const ofCalls = withTicket.map(({ ticket }) => ticket?.id ?? '');
    expect(new Set(ofCalls).size).toBe(wanted.length);
    const tickets = (await helpDesk.listTickets()).filter(({ phone }) => phones.includes(phone ?? ''));
    expect(tickets.map(({ id }) => id).sort()).toEqual([...ofCalls].sort());
    for (const call of withTicket)
      expect(call).toMatchObject({ ticket_tags: { state: 'written' }, ticket_refresh: { state: 'written' } });
    expect(calls.filter(({ unfinished }) => unfinished !== undefined)).toEqual([]);
    const withContact = new Set(plans.flatMap(({ qualifies, phone_number }) => (qualifies ? [phone_number] : [])));
    const contacts = (await helpDesk.listContacts()).map(({ phone }) => phone);
    expect(contacts.sort()).toEqual([...withContact].sort());
    expect(await helpDesk.mostInFlight()).toBeLessThanOrEqual(AT_ONCE);
    expect(killed).toBeGreaterThan(0);
    expect((await helpDesk.faults()).filter(({ befell }) => befell > 0).length).toBeGreaterThan(phones.length / 3);
    expect(await deadLettersOf('tickets')).toBe(0);
  });
});
