import { connectionIdFor } from '../../shared/domain/ids.ts';
import type { CreateTicketDeps } from '../../shared/operations/after-call/create-ticket.ts';
import { aToken } from '../support/connections/access-token.ts';
import { aConnection, aGrant } from '../unit/support/worlds/items.ts';
import type { Remote } from './remote.ts';

/** Returns the connection of an organization to its help desk. */
export const helpDeskConnection = (orgId: string) =>
  aConnection({
    ...{ connection_id: connectionIdFor(orgId, 'help-desk'), org_id: orgId, type: 'help-desk', grant: aGrant() },
    settings: {
      ...{ departmentId: '7000001', orgId: '60001', tags: ['voice'], attach_full_transcript: true },
      // The id is the key of a ticket at the simulated help desk.
      subject_template: '{id}',
      run_condition: { field: 'lead_intent', in: ['complaint', 'purchase'] },
    },
  });

/** Simulates the help desks of the organizations, with one contact for each phone, and one ticket for each subject. */
export const helpDeskOf = ({
  write,
  find,
}: Remote): Pick<CreateTicketDeps, 'helpDeskOrganizations' | 'accessTo' | 'contacts' | 'tickets' | 'followUps'> => ({
  helpDeskOrganizations: { list: async () => ({ kind: 'absent' }) },
  accessTo: ({ org_id }) => ({
    host: `https://${org_id}.desk.example`,
    orgId: '60001',
    token: async () => aToken('token'),
  }),
  contacts: {
    find: ({ host }, phone) => find('contact', `${phone} at ${host}`),
    create: ({ host }, { phone }) => write('contact', `${phone} at ${host}`),
  },
  tickets: {
    create: async (_access, { subject }, contact) => {
      const made = await write('ticket', subject);
      return made.kind === 'written'
        ? { ...made, contactId: 'contactId' in contact ? contact.contactId : 'new' }
        : made;
    },
    find: async (_access, { subject }, freeOf = async (ids) => ids) => {
      const found = await find('ticket', subject);
      const ids = found.kind === 'found' ? await freeOf([found.id]) : [];
      if (found.kind !== 'found') return found;
      return ids.length > 0 ? { kind: 'found', ids } : { kind: 'absent' };
    },
    get: async (_access, id) => ({
      kind: 'found',
      ticket: { id, ticketNumber: '101', status: 'Open', priority: 'Low' },
    }),
  },
  followUps: {
    associateTags: async () => ({ kind: 'written', id: 'tags' }),
    attach: (_access, id) => write('attachment', id),
    findAttachment: (_access, id) => find('attachment', id),
    comment: (_access, id) => write('comment', id),
    findComment: (_access, id) => find('comment', id),
  },
});
