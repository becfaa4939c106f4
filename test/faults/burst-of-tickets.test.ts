import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../local/simulators/help-desk/faults.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import { aHelpDeskConnection, anAnalysis, aTicketCall, queueTicket } from '../support/connections/help-desk.ts';
import { anOrg, stores, type TestOrg } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { concurrently, deadLettersOf, helpDesk, inTime } from '../support/stack/stack.ts';
import { killWorker, workersOf } from '../support/stack/worker-processes.ts';
import { isMatrix, onLinux } from './support/rounds.ts';

/** `npm run test:matrix` makes many more. */
const CALLS = isMatrix ? 500 : 18;
/** Workers to kill while they have work. */
const KILLS = isMatrix ? 40 : 3;
/** Turns at one help desk (docs/call-lifecycle.md, "One slow receiver"). */
const AT_ONCE = 3;
const STEP_SECONDS = 120;
const MAX_STEPS = 120;

const TICKETS = 'POST /api/v1/tickets';
const CONTACTS = 'POST /api/v1/contacts';

/** The fault that the n-th call's requests meet, selected by its phone. */
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
 * Plans the calls: one in five has another intent, one in ten failed, and one in six has the phone of the previous
 * call, and therefore the same text.
 */
function planned(count: number): Planned[] {
  let phone_number = '';
  return Array.from({ length: count }, (_, index) => {
    if (index % 6 !== 5) phone_number = aPhoneNumber();
    if (index % 5 === 4)
      return { phone_number, qualifies: false, over: { analysis: anAnalysis({ lead_intent: 'sales' }) } };
    if (index % 10 === 3) return { phone_number, qualifies: false, over: { status: 'failed' } };
    return { phone_number, qualifies: true, over: {} };
  });
}

/** Finishes the calls, a third of them with a duplicate message. @returns their ids */
const finishAll = (org: TestOrg, plans: readonly Planned[]): Promise<string[]> =>
  concurrently(10, plans, async ({ phone_number, over }, index) => {
    const { call_id } = await aTicketCall(org, { phone_number, recording: { state: 'none' }, ...over });
    await queueTicket(call_id);
    if (index % 3 === 0) await queueTicket(call_id);
    return call_id;
  });

/** Kills workers one by one while work remains, as if their machines failed. @returns the number of kills */
async function killSome(isOver: () => boolean): Promise<number> {
  let killed = 0;
  while (killed < KILLS && !isOver()) {
    const [pid] = await workersOf('create-ticket');
    if (pid !== undefined) {
      killWorker(pid);
      killed += 1;
    }
    await sleep(700);
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
      { seconds: STEP_SECONDS, most: MAX_STEPS },
    );
    expect(calls).toHaveLength(CALLS);
    isOver = true;
    const killed = await killing;

    const wanted = plans.flatMap(({ qualifies }, index) => (qualifies ? [ids[index]] : []));
    const withTicket = calls.filter(({ ticket }) => ticket?.state === 'written');
    expect(withTicket.map(({ call_id }) => call_id).sort()).toEqual([...wanted].sort());
    const tickets = (await helpDesk.listTickets()).filter(({ phone }) => phones.includes(phone ?? ''));
    expect(tickets.map(({ id }) => id).sort()).toEqual(withTicket.map(({ ticket }) => ticket?.id ?? '').sort());
    expect(new Set(tickets.map(({ id }) => id)).size).toBe(wanted.length);
    const followUps = withTicket.flatMap(({ ticket_tags, ticket_refresh }) => [ticket_tags, ticket_refresh]);
    expect(followUps.filter((mark) => mark?.state !== 'written')).toEqual([]);
    expect(calls.filter(({ unfinished }) => unfinished !== undefined)).toEqual([]);
    const withContact = new Set(plans.flatMap(({ qualifies, phone_number }) => (qualifies ? [phone_number] : [])));
    const contacts = (await helpDesk.listContacts()).map(({ phone }) => phone);
    expect(contacts.sort()).toEqual([...withContact].sort());
    expect(await helpDesk.mostInFlight()).toBeLessThanOrEqual(AT_ONCE);
    expect(killed).toBeGreaterThan(0);
    expect((await helpDesk.faults()).filter(({ affected }) => affected > 0).length).toBeGreaterThan(phones.length / 3);
    expect(await deadLettersOf('tickets')).toBe(0);
  });
});
