import type { Call } from '../../../shared/domain/calls/call.ts';
import { helpDesk } from '../../support/stack.ts';

/** Fails unless each call has one contact, ticket, recording and transcript, and its phone no further ones. */
export async function expectOneTicketEach(calls: readonly (Call | undefined)[]): Promise<void> {
  const [tickets, contacts] = await Promise.all([helpDesk.listTickets(), helpDesk.listContacts()]);
  const found = calls.map((call) => {
    const own = tickets.filter(({ phone }) => phone === call?.phone_number);
    return {
      call_id: call?.call_id,
      tickets: own.map(({ id }) => id),
      contacts: contacts.filter(({ phone }) => phone === call?.phone_number).length,
      files: own.flatMap(({ attachments }) => attachments.map(({ name }) => name)),
      comments: own.flatMap(({ comments }) => comments).length,
      tags: own.flatMap(({ tags }) => tags),
    };
  });
  expect(found).toEqual(
    calls.map((call) => ({
      call_id: call?.call_id,
      tickets: [call?.ticket?.id],
      contacts: 1,
      files: [`${call?.call_id}.wav`],
      comments: 1,
      tags: ['voice'],
    })),
  );
}
