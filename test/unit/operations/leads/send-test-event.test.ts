import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { sendTestEvent } from '../../../../shared/operations/leads/send-test-event.ts';
import { aConnection } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';

const member: Actor = { kind: 'member', user_id: 'user-1', email: 'meera@example.com' };

function sender() {
  const world = aWorld();
  const leadQueue = world.queue<LeadEvent>();
  const send = (over: Parameters<typeof aConnection>[0] = {}, action?: string) => {
    const connection = aConnection({ trigger_owner_user_id: 'owner-1', ...over });
    return sendTestEvent({ ...world.common, leadQueue }, member, connection, { phone: '+919876543210' }, action);
  };
  return Object.assign(world, { leadQueue, send });
}

describe('a test event', () => {
  it('is a lead of the connection’s owner, and is audited with a masked number', async () => {
    const { send, leadQueue, auditEntries } = sender();
    const sent = await send();
    if (sent.kind !== 'sent') throw new Error(sent.kind);
    expect(leadQueue.sent.map(({ message }) => message)).toMatchObject([
      {
        event_id: sent.event_id,
        test: true,
        asked_by: 'meera@example.com',
        lead: { phones: ['+919876543210'], owner_id: 'owner-1' },
      },
    ]);
    expect(auditEntries()).toMatchObject([
      {
        action: 'connection.test_event_sent',
        actor: member,
        after: { event_id: sent.event_id, phone: '+91*******210' },
      },
    ]);
  });

  it('is audited even if the queue refuses it, so that no event is sent without an audit entry', async () => {
    const { send, leadQueue, auditEntries } = sender();
    leadQueue.refusal = new Error('x');
    await expect(send()).rejects.toThrow('x');
    expect(auditEntries()).toHaveLength(1);
  });

  it('is one event with one audit entry, however often its request is repeated', async () => {
    const { send, leadQueue, auditEntries } = sender();
    leadQueue.refusal = new Error('x');
    await expect(send({}, 'action-1')).rejects.toThrow('x');
    leadQueue.refusal = undefined;
    const sent = [await send({}, 'action-1'), ...(await Promise.all([send({}, 'action-1'), send({}, 'action-1')]))];
    expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
    const messages = leadQueue.sent.map(({ message: { event_id, lead } }) => [event_id, lead.lead_id]);
    expect([new Set(messages.map(String)).size, auditEntries()]).toMatchObject([1, [{}]]);
    expect([await send({}, 'action-2'), await send({ connection_id: 'conn_2' }, 'action-1')]).not.toContainEqual(
      sent[0],
    );
  });

  it('is limited to ten in a clock minute per organization, even concurrently', async () => {
    const { send, pass, leadQueue } = sender();
    const atOnce = await Promise.all(Array.from({ length: 25 }, () => send()));
    const refused = atOnce.filter(({ kind }) => kind !== 'sent');
    expect(refused).toEqual(Array(15).fill({ kind: 'too_many', resetSeconds: 60 }));
    expect(await send({ org_id: 'another' })).toMatchObject({ kind: 'sent' });
    pass(60);
    expect(await send()).toMatchObject({ kind: 'sent' });
    expect(leadQueue.sent).toHaveLength(12);
  });

  it('is refused for a help desk', async () => {
    const { send, auditEntries } = sender();
    expect([await send({ type: 'help-desk' }), auditEntries()]).toEqual([{ kind: 'no_leads' }, []]);
  });
});
