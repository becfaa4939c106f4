import { Readable } from 'node:stream';
import { helpDeskControl } from '../../../local/simulators/help-desk/control.ts';
import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import { startHelpDeskSimulator } from '../../../local/simulators/help-desk/server.ts';
import { ticketFields } from '../../../shared/domain/after-call/tickets/help-desk-ticket.ts';
import { helpDeskScopes } from '../../../shared/domain/connections/access/oauth-scopes.ts';
import { helpDeskApi, type Upload } from '../../../shared/integrations/help-desk/api.ts';
import type { HelpDeskAccess } from '../../../shared/integrations/help-desk/help-desk.ts';
import { helpDeskTickets } from '../../../shared/integrations/help-desk/tickets.ts';
import { aToken } from '../../support/connections/access-token.ts';

/** The default scopes, which include no right to create contacts. */
export const scopes = helpDeskScopes.split(',');
export const orgId = defaultOrganization.id;
export const departmentId = defaultOrganization.departments[0]?.id ?? '';
export const PHONE = '+919876543210';

/** Patient enough for a busy machine. */
export const api = helpDeskApi({ timeoutMs: 10_000 });
/** For requests without an answer: a test waits this long, or three times as long for an upload. */
const impatient = helpDeskApi({ timeoutMs: 400 });

/** Returns a client whose time limits suit this fault. */
export const apiFor = ({ kind }: { kind: string }) => (kind.startsWith('hang') ? impatient : api);

/** Starts a simulator for one test file, which stops it in `afterAll`. */
export async function startHelpDesk() {
  /** The scopes of every valid access token. */
  const granted = new Map<string, string[]>();
  const simulator = await startHelpDeskSimulator({
    grants: async (token) => {
      const rights = granted.get(token);
      return rights && { userId: 'agent', clientId: 'client', scopes: rights };
    },
  });
  const control = helpDeskControl(simulator.url);

  /** Resets the simulator. @returns access with `token-1`, and with `token-2` after a refusal */
  async function begin(rights = scopes): Promise<HelpDeskAccess> {
    await control.reset();
    granted.clear();
    granted.set('token-1', rights).set('token-2', rights);
    return {
      host: simulator.url,
      orgId,
      token: async (rejected) => aToken(rejected === undefined ? 'token-1' : 'token-2'),
    };
  }

  return { simulator, control, granted, begin };
}

/** The fields that decide whether a ticket is the wanted one. */
export const ticketOf = (contents: { subject: string; description: string }) => ({
  departmentId,
  phone: PHONE,
  priority: 'High',
  classification: 'Problem',
  assigneeId: defaultOrganization.agents[0]?.id ?? '',
  ...contents,
});

/** Creates a ticket. @returns its id. */
export async function createdTicket(...args: Parameters<ReturnType<typeof helpDeskTickets>['create']>) {
  const written = await helpDeskTickets(api).create(...args);
  if (written.kind !== 'written') throw new Error(written.kind);
  return written.id;
}

/** The ticket that the tests write. */
export const fields = ticketFields(
  ticketOf({
    subject: 'complaint — +919876543210',
    description: 'The meter is wrong.\n\nShe wants a call: "today" & not <later>.',
  }),
);
/** The recording that the tests attach. */
export const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
export const fileOf = (content: Buffer): Upload => ({
  filename: 'call_0123.wav',
  contentType: 'audio/wav',
  contentLength: content.length,
  open: async () => Readable.from([content]),
});
