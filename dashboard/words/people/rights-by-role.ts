import type { Role } from '../../../shared/domain/organizations/members/member.ts';
import type { dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';

type Right = { right: string; from: Role; routes: readonly (keyof typeof dashboardRoutes)[] };

/** The rights that distinguish the roles, each with the least role that has it and the routes that need it. */
export const rightsByRole: readonly Right[] = [
  { right: 'Read calls, leads, assistants and credit', from: 'viewer', routes: [] },
  { right: 'Change their own name, phone number and password', from: 'viewer', routes: [] },
  {
    right: 'Stop and analyze calls, send callbacks again',
    from: 'member',
    routes: ['stop-call', 'repeat-analysis', 'resend-callback'],
  },
  { right: 'Make test calls, send test events', from: 'member', routes: ['place-test-call', 'send-test-event'] },
  {
    right: 'Create and edit assistants and their knowledge',
    from: 'member',
    routes: ['create-assistant', 'update-assistant', 'add-knowledge', 'remove-knowledge'],
  },
  { right: 'Add do-not-call numbers', from: 'member', routes: ['add-do-not-call'] },
  {
    right: 'Delete assistants, remove do-not-call numbers',
    from: 'admin',
    routes: ['delete-assistant', 'remove-do-not-call'],
  },
  { right: 'Retry leads that were not called', from: 'admin', routes: ['retry-leads'] },
  {
    right: 'Set up connections and API keys',
    from: 'admin',
    routes: [
      'create-connection',
      'update-connection',
      'disconnect-connection',
      'replace-token',
      'begin-consent',
      'confirm-consent',
      'refuse-consent',
      'list-choices',
      'create-key',
      'revoke-key',
    ],
  },
  {
    right: 'Change the organization, its notifications and its callback secret',
    from: 'admin',
    routes: ['update-organization', 'reveal-callback-secret', 'rotate-callback-secret'],
  },
  {
    right: 'Invite people, change roles, remove people',
    from: 'admin',
    routes: ['list-members', 'invite-member', 'change-role', 'remove-member'],
  },
  { right: 'Read and export the audit log', from: 'admin', routes: ['list-audit-entries'] },
  { right: 'Grant and revoke ownership', from: 'owner', routes: [] },
];
