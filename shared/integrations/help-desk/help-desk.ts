/** The right to ask the help desk for one connection. */
export type HelpDeskAccess = {
  /** Origin of the API, by the grant's data center: not the grant's `api_domain`, which is CRM-B's. */
  host: string;
  /** The organization that is asked; undefined while none is chosen. */
  orgId: string | undefined;
  /**
   * The access token to use now.
   * @param rejected the one that the help desk has just refused: another one comes back.
   * @throws ReconnectNeeded, AccessUnavailable (domain/connections/access-errors.ts).
   */
  token: (rejected?: string) => Promise<string>;
};

/** For good: a repeat would be refused as well. */
export type Refused = {
  kind: 'refused';
  /** The vendor's `errorCode`, with the fields that it names: `INVALID_DATA /contactId`; else `status N`. */
  code: string;
  /** HTTP status; 0 where no request was made. */
  status: number;
};

/** Certainly nothing was done, and a repeat may succeed: 429, no credits left, no connection, a token that is refused. */
export type Unavailable = {
  kind: 'unavailable';
  reason: string;
  /** How long the help desk wants to be left alone, 1 to 86,400; absent where it did not say. */
  retryAfterSeconds?: number;
};

/** What came of a write. */
export type HelpDeskWrite<More = unknown> =
  | ({ kind: 'written'; id: string } & More)
  | Refused
  | Unavailable
  /** It may have been done: a time-out, a connection that broke, 5xx, an answer that cannot be read. */
  | { kind: 'unknown'; reason: string };

/** What came of looking for something. `absent`: everything was looked through. `unavailable`: ask again. */
export type HelpDeskReading<Found> = ({ kind: 'found' } & Found) | { kind: 'absent' } | Refused | Unavailable;

/** An organization (portal) of the help desk. */
export type HelpDeskOrganization = { id: string; name: string };

/** A ticket as it is at the help desk; what it does not tell is absent. */
export type HelpDeskTicket = {
  id: string;
  ticketNumber?: string;
  status?: string;
  /** Whether it is open: `status` may be of the customer's own making. */
  statusType?: string;
  priority?: string;
  classification?: string;
  assigneeId?: string;
  /** Where a person opens it: https or http. */
  webUrl?: string;
  /** ISO 8601 UTC with milliseconds. */
  createdTime?: string;
  modifiedTime?: string;
  closedTime?: string;
};
