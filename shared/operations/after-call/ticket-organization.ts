import type { Call } from '../../domain/calls/call.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import type { HelpDeskAccess } from '../../integrations/help-desk/help-desk.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { OnceItem } from './write-once.ts';

type AskedCall = { call: Call; connection: Connection | undefined };

/** Contact and ticket of the call are, or may be, in an organization of the help desk that is not the one asked now. */
class AskedElsewhere extends Error {
  override readonly name = 'AskedElsewhere';
}

/** @returns the organization of the help desk that is asked now; undefined while none is chosen. */
export function organizationNow({ connection }: Pick<AskedCall, 'connection'>): string | undefined {
  const { orgId } = connection?.settings ?? {};
  return typeof orgId === 'string' ? orgId : undefined;
}

function isElsewhere(told: AskedCall): boolean {
  const [asked, now] = [told.call.ticket_organization, organizationNow(told)];
  return asked !== undefined && now !== undefined && asked !== now;
}

/**
 * @returns the access for the call's organization alone: where the connection comes to name another one while it is used,
 * nothing is asked. @throws AskedElsewhere.
 */
export function accessForCall(access: HelpDeskAccess, told: AskedCall): HelpDeskAccess {
  const now = organizationNow(told);
  if (isElsewhere(told))
    throw new AskedElsewhere(
      `it was for the organization ${told.call.ticket_organization} of the help desk; the connection has ${now} now`,
    );
  return {
    get host() {
      return access.host;
    },
    get orgId() {
      return access.orgId === now ? now : undefined;
    },
    token: access.token,
  };
}

/**
 * Forgets a contact of another organization, and what a ticket there was to say: its department is that organization's, too.
 * Once a ticket was asked for, all stays as it is.
 * @returns the call as it is then; undefined where it has changed meanwhile.
 */
export async function begunAnewElsewhere<Told extends AskedCall>(
  { calls, transact }: { calls: Pick<CallStore, 'changingTicketItem'>; transact: Transact },
  told: Told,
): Promise<Told | undefined> {
  const { call } = told;
  if (!isElsewhere(told) || call.ticket) return told;
  const { ticket_contact, ticket_fields, ticket_organization, ...rest } = call;
  const remove = ['ticket_fields', 'ticket_organization'];
  const write = calls.changingTicketItem(call.call_id, 'ticket_contact', ticket_contact, undefined, { remove });
  return (await transact({ write })).committed ? { ...told, call: rest } : undefined;
}

/** @returns the item, which ends where it belongs elsewhere: `unconfirmed` where it was asked for there, else `failed`. */
export function endedElsewhere<Name extends string>(item: OnceItem<Name>): OnceItem<Name> {
  const { known, prepare, find } = item;
  return {
    ...item,
    prepare: () =>
      prepare().catch((error: Error) => {
        if (!(error instanceof AskedElsewhere)) throw error;
        return { kind: 'settled', state: known ? 'unconfirmed' : 'failed', error: error.message };
      }),
    ...(find && {
      find: () =>
        find().catch((error: Error) => {
          if (!(error instanceof AskedElsewhere)) throw error;
          return { kind: 'refused', code: error.message };
        }),
    }),
  };
}
