import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { leadQueue } from '../../../../shared/stores/leads/lead-queue.ts';

const lead = { phones: [], do_not_call: false, fields: {} };
const event = (event_id: string, connection_id: string): LeadEvent => ({
  event_id,
  connection_id,
  source: 'webhook',
  event: 'new_lead',
  test: false,
  at: '2026-03-02T06:00:00.000Z',
  lead,
  payload_keys: [],
});

describe('the queue of lead events', () => {
  it('groups leads by connection, so that a burst of one connection delays no other', async () => {
    const sent: object[] = [];
    const send = async ({ input }: { input: object }) => {
      sent.push(input);
      return {};
    };
    const queue = leadQueue({ send } as never, 'https://queue');
    await queue.sendMany([event('evt_1', 'conn_1'), event('evt_2', 'conn_2')]);
    await queue.send(event('evt_3', 'conn_3'));
    expect(sent).toMatchObject([
      { Entries: [{ MessageGroupId: 'conn_1' }, { MessageGroupId: 'conn_2' }] },
      { MessageGroupId: 'conn_3' },
    ]);
  });
});
