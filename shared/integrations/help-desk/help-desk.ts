import type { ReconnectNeeded, TokenResult } from '../../domain/connections/access/token-result.ts';

/** One connection's access to the help desk. */
export type HelpDeskAccess = {
  /** Origin of the API in the grant's data center. The grant's `api_domain` belongs to CRM-B. */
  host: string;
  /** The organization that requests name; undefined while none is chosen. */
  orgId: string | undefined;
  /**
   * Returns the access token to use now, or the reason why there is none.
   * @param rejected a token that the help desk has just refused, to get another one.
   */
  token: (rejected?: string) => Promise<TokenResult>;
};

/** A permanent refusal: the help desk would refuse a repeat as well. */
export type Refused = {
  kind: 'refused';
  /** The vendor's `errorCode` with the fields that it names, as in `INVALID_DATA /contactId`; otherwise `status N`. */
  code: string;
  /** HTTP status; 0 if no request was sent. */
  status: number;
};

/** No effect, and a repeat may succeed: 429, no credits left, no connection, no token, a refused token. */
export type Unavailable = {
  kind: 'unavailable';
  reason: string;
  /** The least wait that the help desk demands, 1 to 86,400. */
  retryAfterSeconds?: number;
};

/** A request without an effect. */
export type WithoutEffect = Refused | Unavailable | ReconnectNeeded;

/** The outcome of a write. */
export type HelpDeskWrite<More = unknown> =
  | ({ kind: 'written'; id: string } & More)
  | WithoutEffect
  /** The write may have taken effect: a time-out, a broken connection, 5xx, an unreadable answer. */
  | { kind: 'unknown'; reason: string; retryAfterSeconds?: number };

/** The outcome of a lookup. `absent`: the lookup was complete and found nothing. */
export type HelpDeskReading<Found> = ({ kind: 'found' } & Found) | { kind: 'absent' } | WithoutEffect;

/** An organization (portal) of the help desk. */
export type HelpDeskOrganization = { id: string; name: string };

/** A ticket as the help desk shows it; hidden values are absent. */
export type HelpDeskTicket = {
  id: string;
  ticketNumber?: string;
  status?: string;
  /** Distinguishes open from closed tickets, because customers may define values of `status`. */
  statusType?: string;
  priority?: string;
  classification?: string;
  assigneeId?: string;
  /** The address for people: https or http. */
  webUrl?: string;
  /** ISO 8601 UTC with milliseconds. */
  createdTime?: string;
  modifiedTime?: string;
  closedTime?: string;
};
