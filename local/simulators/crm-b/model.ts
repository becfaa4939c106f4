import type { ZohoRequest } from '../zoho-accounts/model.ts';

export type SeenRequest = ZohoRequest;

export type Lead = {
  id: string;
  org: string;
  /** The fields that are set, by their API names. */
  fields: Record<string, unknown>;
  ownerId: string;
  createdBy: string;
  modifiedBy: string;
  createdAt: number;
  modifiedAt: number;
  lastActivityAt: number | null;
};

/** A lead as a test or a page writes it: flat fields by their API names, the owner as an id. */
export type LeadInput = {
  id?: string | undefined;
  org?: string | undefined;
  owner?: string | undefined;
  /** Sends no notifications. */
  quiet?: boolean | undefined;
  fields: Record<string, unknown>;
};

export type RelatedModule = 'Calls' | 'Notes';

/** A call or a note as it was written. */
export type Written = {
  id: string;
  org: string;
  module: RelatedModule;
  /** Without a lead, the record is found only by its id. */
  leadId: string | null;
  fields: Record<string, unknown>;
  createdBy: string;
  createdAt: number;
  /** The request that wrote it, and its `trigger`. */
  requestNumber: number;
  trigger: unknown;
};

/** A channel's subscription to one module. The vendor lists a channel once per module. */
export type Channel = {
  channelId: string;
  module: string;
  /** `create`, `edit`, `delete`, `all`. */
  events: string[];
  expiresAt: number;
  notifyUrl: string;
  token: string | null;
  relatedActions: boolean;
  withValues: boolean;
  conditions: unknown[] | null;
  org: string;
  userId: string;
  clientId: string;
  /** It appears active, but delivers nothing. */
  silent: boolean;
};

export type Operation = 'insert' | 'update' | 'delete';

/** A record and its changed fields. */
export type Change = { id: string; fields: Record<string, unknown> };

export type HeldNotification = { channel: Channel; body: string; ids: string[]; operation: Operation };

/** A notification that was sent, with the answer of each copy. */
export type SentNotification = {
  at: string;
  channelId: string;
  url: string;
  operation: Operation;
  ids: string[];
  body: unknown;
  answers: (number | 'timeout' | 'unreachable')[];
};

/** The vendor's description of one error (Zoho CRM OpenAPI v8.0, common.json: API_Exception). */
export type VendorError = { code: string; details: Record<string, unknown>; message: string; status: 'error' };

export type ItemResult =
  | VendorError
  | { code: 'SUCCESS'; details: Record<string, unknown>; message: string; status: 'success' };
