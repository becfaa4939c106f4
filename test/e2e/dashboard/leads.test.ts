import { explainLead, listLeadEvents, retryLeads } from '../../../shared/messages/dashboard/leads.ts';
import { addCredit } from '../../../shared/operations/organizations/add-credit.ts';
import { changeConnection } from '../../support/connections/change-connection.ts';
import { aGrantedConnection, grants } from '../../support/connections/crm-b.ts';
import { acting, aMember } from '../../support/dashboard/dashboard.ts';
import { aConnection, activityOf, decided, leadBody } from '../../support/leads/leads.ts';
import { aQuietLead } from '../../support/leads/quiet-lead.ts';
import { decidedForLead } from '../../support/leads/scheduled-leads.ts';
import { anOrg, OPERATOR, operating, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { now } from '../../support/stack/stack.ts';

const deps = { ...stores, grants, now };

async function aViewer(org: TestOrg, role: 'viewer' | 'admin' = 'viewer') {
  const ask = await acting(await aMember(org, role));
  return {
    ask,
    list: async (query: Record<string, string> = {}) => {
      const { status, body } = await ask(listLeadEvents, { query: `?${new URLSearchParams(query)}` });
      expect([status, body.error]).toEqual([200, undefined]);
      return listLeadEvents.answer.parse(body);
    },
    explain: async (q: string) => {
      const { status, body } = await ask(explainLead, { query: `?${new URLSearchParams({ q })}` });
      expect([status, body.error]).toEqual([200, undefined]);
      return explainLead.answer.parse(body);
    },
  };
}

describe('list-lead-events and explain-lead', () => {
  it('merge both CRMs, and find a lead by number and by id, with the present decision about it', async () => {
    const org = await anOrg();
    const [a, b] = [await aConnection({}, org), await aGrantedConnection(org)];
    await changeConnection(deps, b.connectionId, { trigger_owner_user_id: 'nobody' });
    const [phoneA, phoneB] = [aPhoneNumber(), aPhoneNumber()];
    const body = leadBody({ Phone: phoneA, OwnerId: 'somebody' });
    const ofA = await decided(a, body);
    const leadB = await aQuietLead(phoneB);
    const ofB = await decidedForLead(b, leadB);
    expect([ofA.outcome, ofB.outcome]).toEqual(['owner_mismatch', 'owner_mismatch']);

    const { ask, list, explain } = await aViewer(org);
    const first = await list({ limit: '1' });
    expect(first.items).toMatchObject([{ id: ofB.event_id, crm: 'crm-b', lead_id: leadB, is_test: false, call: null }]);
    const second = await list({ limit: '1', next: first.next ?? '' });
    expect(second.items).toMatchObject([
      { id: ofA.event_id, crm: 'crm-a', payload_keys: expect.arrayContaining(['Phone']) },
    ]);
    expect((await list({ crm: 'crm-a', group: 'skipped', tests: 'none' })).items).toHaveLength(1);
    expect((await list({ group: 'needs_you' })).items).toEqual([]);
    expect((await list({ count: 'true' })).counts).toMatchObject({ outcomes: { owner_mismatch: 2 }, retryable: [] });
    expect(await ask(listLeadEvents, { query: '?next=bm90IGpzb24' })).toMatchObject({ status: 400 });

    for (const question of [phoneA, phoneA.slice(3), String(body.ProspectID)]) {
      const { verdict, now: asOfNow } = await explain(question);
      expect(verdict).toMatchObject({ outcome: 'owner_mismatch', crm: 'crm-a', owner: { lead: 'somebody' } });
      expect(asOfNow?.outcome).toBe('owner_mismatch');
    }
    // CRM-B gets a real request, with the stored token.
    await changeConnection(deps, b.connectionId, { trigger_owner_user_id: ofB.owner_id ?? '' });
    for (const question of [phoneB, leadB])
      expect(await explain(question)).toMatchObject({ verdict: { crm: 'crm-b' }, now: { outcome: 'call queued' } });

    const other = await aViewer(await anOrg());
    expect((await other.list()).items).toEqual([]);
    for (const question of [phoneA, leadB]) expect((await other.explain(question)).verdict).toBeNull();
  });
});

describe('retry-leads', () => {
  it('calls the leads that lacked credit, once each, with an audit entry', async () => {
    const org = await anOrg({ credits: 0 });
    const connected = await aConnection({}, org);
    const id = connected.connection.connection_id;
    const first = await decided(connected, leadBody());
    expect(first.outcome).toBe('insufficient_credits');
    const { ask, list } = await aViewer(org, 'admin');
    const { counts } = await list({ count: 'true' });
    expect(counts?.retryable).toEqual([{ connection_id: id, outcome: 'insufficient_credits', events: 1 }]);
    await addCredit(operating, OPERATOR, { org_id: org.orgId, amount: 100_000 });

    const body = { outcome: 'insufficient_credits', since: first.at };
    const retry = () => ask(retryLeads, { body }, { id });
    const inverted = { ...body, until: new Date(Date.parse(first.at) - 1000).toISOString() };
    expect(await ask(retryLeads, { body: inverted }, { id })).toMatchObject({ status: 200, body: { queued: 0 } });
    expect((await retry()).body).toEqual({ queued: 1, next: null });
    const [second] = await activityOf(connected, 2);
    expect(second).toMatchObject({ source: 'retry', outcome: 'call queued' });
    expect((await retry()).body).toEqual({ queued: 0, next: null });
    const { items } = await stores.audit.page(org.orgId, { limit: 50 });
    expect(items.filter(({ action }) => action === 'leads.retried')).toMatchObject([
      { actor: { kind: 'member' }, thing: { id, name: 'crm-a' }, after: { ...body, leads: 1 } },
    ]);
    expect((await list({ count: 'true' })).counts?.retryable).toEqual([]);
    expect((await list({ group: 'called' })).items).toMatchObject([{ call: { id: second?.call_id } }]);
  });
});
