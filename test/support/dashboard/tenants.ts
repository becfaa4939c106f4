import { randomUUID } from 'node:crypto';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { claimFor } from '../../../shared/domain/calls/dialing/claim.ts';
import { leadClaimKey } from '../../../shared/domain/calls/dialing/day-claims.ts';
import { helpDeskScopes } from '../../../shared/domain/connections/access/oauth-scopes.ts';
import { callIdFor } from '../../../shared/domain/ids.ts';
import { toUnits } from '../../../shared/domain/organizations/credit.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import { addKnowledge, createAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { beginConsent, sendTestEvent, showConnection } from '../../../shared/messages/dashboard/connections.ts';
import { addDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { createKey } from '../../../shared/messages/dashboard/keys.ts';
import { updateMe } from '../../../shared/messages/dashboard/people.ts';
import { placeTestCall } from '../../../shared/messages/dashboard/test-calls.ts';
import { addCredit } from '../../../shared/operations/organizations/add-credit.ts';
import type { StoredEntry } from '../../../shared/stores/connections/activity.ts';
import { aFinishedCall, anEndedCall } from '../calls/finished-call.ts';
import { anUnconnected, callBack, consentTo, storeGrant } from '../connections/crm-b.ts';
import { aDeskUser, desk } from '../connections/desk-users.ts';
import { departmentId } from '../connections/help-desk.ts';
import { aConnection, activityOf, decided, leadBody } from '../leads/leads.ts';
import { anOrg, OPERATOR, operating, stores, type TestOrg } from '../organizations/orgs.ts';
import { aPhoneNumber } from '../rest/rest.ts';
import { now, secondsAgo } from '../stack/stack.ts';
import { acting, action, aMember, anUpload, aSeed, type Person } from './dashboard.ts';

/** The idempotency key of a request, and the id that it created. */
type Action = { key: string; id: string };

/** An organization that has at least two of everything that the dashboard lists. */
export type Tenant = {
  org: TestOrg;
  owner: Person;
  colleague: Person;
  /** Sends requests as the owner. */
  ask: Awaited<ReturnType<typeof acting>>;
  call: Call;
  orderKey: string;
  leadCall: Call;
  leadId: string;
  scheduled: Call[];
  keyId: string;
  keySeed: string;
  /** The second assistant. */
  assistant: Action;
  uploadKey: string;
  listedPhone: string;
  connections: { crmA: string; crmB: string; desk: string };
  /** The help desk's organization. */
  deskId: string;
  /** The last one may be retried. */
  events: StoredEntry[];
  leadPhone: string;
  testCall: Action;
  testEvent: Action;
};

const id = (answer: { body: Record<string, unknown> }, name: string): string => {
  const found = answer.body[name];
  if (typeof found !== 'string') throw new Error(`no ${name}: ${JSON.stringify(answer.body)}`);
  return found;
};

async function callsOf(org: TestOrg, connectionId: string) {
  const orderKey = `order-${randomUUID()}`;
  const leadId = randomUUID();
  const idempotent = { call_id: callIdFor(org.orgId, orderKey), idempotency_key: orderKey };
  const lead = { crm: 'crm-a', connection_id: connectionId, lead_id: leadId } as const;
  const call = await aFinishedCall(org, undefined, idempotent);
  const leadCall = await anEndedCall({ org, connectionId }, leadId, {
    phone_number: call.phone_number,
    transcript_key: undefined,
    recording: { state: 'none' },
    unfinished: undefined,
    crm_b_sync: undefined,
    finished_at: secondsAgo(1),
    lead: { ...lead, event_id: 'evt_1', event: 'new_lead', test: false, fields: {} },
  });
  const key = leadClaimKey(connectionId, leadId, istDay(now()));
  const claim = claimFor(key, { ownerId: 'evt_1', callId: leadCall.call_id, now: now() });
  await stores.transact({ claim: stores.claims.taking(claim) });
  // In about 90 days, which is further than any test advances the clock.
  const times = [90, 91].map((days) => secondsAgo(-days * 86_400));
  const scheduled = await Promise.all(
    times.map((scheduled_for) =>
      aFinishedCall(org, undefined, {
        ...{ finished_at: undefined, status: 'scheduled', unfinished: 'scheduled' },
        ...{ scheduled_for, dial_by: scheduled_for },
      }),
    ),
  );
  return { call, orderKey, leadCall, leadId, scheduled };
}

async function connectionsOf(org: TestOrg) {
  const deskId = String(Math.floor(Math.random() * 2 ** 48));
  const settings = { departmentId, orgId: deskId };
  const connectedA = await aConnection({}, org);
  const crmB = await anUnconnected('crm-b', { auto_call: false }, org);
  const helpDesk = await anUnconnected('help-desk', { auto_call: false, settings }, org);
  const user = await aDeskUser(desk(deskId, 'Zylker'));
  const organizations = [{ id: deskId, name: 'Zylker' }];
  await storeGrant('help-desk', helpDesk.connection.connection_id, { scopes: helpDeskScopes, user, organizations });
  const connections = {
    crmA: connectedA.connection.connection_id,
    crmB: crmB.connection.connection_id,
    desk: helpDesk.connection.connection_id,
  };
  return { connectedA, connections, deskId };
}

/** Creates an organization with at least one of each thing that a request names by its id. */
export async function aTenant(): Promise<Tenant> {
  // Calls wait, because the organization has no slot.
  const org = await anOrg({ credits: 0, limits: { max_live_calls: 0 } });
  const [owner, colleague] = [await aMember(org, 'owner'), await aMember(org, 'viewer')];
  const ask = await acting(owner);
  const { connectedA, connections, deskId } = await connectionsOf(org);
  const [uncalled, unqualified] = [leadBody(), leadBody({ OwnerId: 'somebody else' })];
  await decided(connectedA, uncalled);
  await decided(connectedA, unqualified);
  for (const credits of [100, 1_000])
    await addCredit(operating, OPERATOR, { org_id: org.orgId, amount: toUnits(credits) });

  const listedPhone = aPhoneNumber();
  await ask(addDoNotCall, { body: { phones: [listedPhone, aPhoneNumber()] } });
  const [assistantKey, uploadKey, keySeed] = [action(), randomUUID(), aSeed()];
  const assistant = await ask(createAssistant, { body: { name: 'Meera' }, headers: assistantKey });
  await ask(addKnowledge, await anUpload(uploadKey), { id: org.assistantId });
  const created = await ask(createKey, { body: { name: 'shop', permissions: ['calls:read'], seed: keySeed } });
  const { key_id: keyId } = created.body.key as { key_id: string };
  await ask(updateMe, { body: { phone: aPhoneNumber() } });
  const [callKey, eventKey] = [action(), action()];
  const testCall = await ask(placeTestCall, { body: { assistant_id: org.assistantId }, headers: callKey });
  const testBody = { phone: aPhoneNumber(), owner: 'somebody else' };
  const testEvent = await ask(sendTestEvent, { body: testBody, headers: eventKey }, { id: connections.crmA });
  return {
    ...{ org, owner, colleague, ask, keyId, listedPhone, connections, deskId },
    ...(await callsOf(org, connections.crmA)),
    events: await activityOf(connectedA, 3),
    leadPhone: String(uncalled.Phone).replace('-', ''),
    assistant: { key: assistantKey['idempotency-key'], id: id(assistant, 'assistant_id') },
    ...{ uploadKey, keySeed },
    testCall: { key: callKey['idempotency-key'], id: id(testCall, 'call_id') },
    testEvent: { key: eventKey['idempotency-key'], id: id(testEvent, 'event_id') },
  };
}

/** Consents to the CRM-B connection without confirming it. @returns the ids and the cookie for the confirmation */
export async function aPendingConsent({
  ask,
  connections,
}: Pick<Tenant, 'ask'> & { connections: Pick<Tenant['connections'], 'crmB'> }) {
  const path = { id: connections.crmB };
  const begun = await ask(beginConsent, { body: { data_center: 'in' } }, path);
  await callBack(await consentTo(id(begun, 'url')));
  const { connection } = showConnection.answer.parse((await ask(showConnection, {}, path)).body);
  const consentId = connection.pending_consent?.id ?? '';
  const organizationId = connection.pending_consent?.organizations?.[0]?.id ?? '';
  return { consentId, organizationId, cookie: begun.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

/** Reads all stored items of the organization that a request of the dashboard could change. */
export async function itemsOf({ org: { orgId }, connections }: Tenant): Promise<Record<string, unknown>> {
  const all = { limit: 1_000 };
  const reads = {
    organization: stores.organizations.get(orgId),
    members: stores.members.page(orgId, all.limit),
    assistants: stores.assistants.listOfOrg(orgId),
    keys: stores.apiKeys.listOfOrg(orgId),
    connections: Promise.all(Object.values(connections).map((one) => stores.connections.get(one))),
    activity: stores.activity.list(connections.crmA),
    calls: stores.calls.pageOfOrg(orgId, all),
    ledger: stores.ledger.list(orgId, all.limit),
    doNotCall: stores.doNotCall.listOfOrg(orgId),
    audit: stores.audit.page(orgId, all),
  };
  const read = await Promise.all(Object.entries(reads).map(async ([name, items]) => [name, await items]));
  return Object.fromEntries(read);
}

/** @returns the ids, numbers and addresses of an organization, which no other organization may see */
export const identifiersOf = (tenant: Tenant): string[] => [
  ...[tenant.org.orgId, tenant.org.assistantId, tenant.org.keyId, tenant.keyId, tenant.listedPhone, tenant.deskId],
  ...[tenant.orderKey, tenant.leadId, tenant.leadPhone, tenant.testCall.id, tenant.testEvent.id],
  ...[tenant.owner, tenant.colleague].flatMap(({ userId, email }) => [userId, email]),
  ...[tenant.call, tenant.leadCall, ...tenant.scheduled].flatMap(({ call_id, phone_number }) => [
    call_id,
    phone_number,
  ]),
  ...Object.values(tenant.connections),
  ...tenant.events.map(({ event_id }) => event_id),
];
