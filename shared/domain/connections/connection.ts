import * as z from 'zod/mini';
import { accessSchema, grantSchema } from './grant.ts';

const instant = z.string();

/** What an org may connect: one of each (interface, "Connection"). */
export const connectionTypes = ['crm-a', 'crm-b', 'help-desk'] as const;
export type ConnectionType = (typeof connectionTypes)[number];

/** A connection as it is kept. */
export const connectionSchema = z.object({
  connection_id: z.string(),
  org_id: z.string(),
  type: z.enum(connectionTypes),
  created_at: instant,
  /** Off: events are received, and no call is made. */
  auto_call: z.boolean(),
  /** Who conducts the calls. */
  assistant_id: z.optional(z.string()),
  /** The owner that a lead must have to be called. */
  trigger_owner_user_id: z.optional(z.string()),
  /** What only connections of its type have (crm-b-settings.ts). */
  settings: z.optional(z.record(z.string(), z.unknown())),

  // Who may deliver
  /** SHA-256 of the webhook token; absent = nobody. */
  token_hash: z.optional(z.string()),
  /** Of tokens that a watch channel is being armed with: taken too, until one of them is promoted. */
  pending_token_hashes: z.optional(z.array(z.string())),
  /** Of the token before, while its channel may still deliver. */
  former_token: z.optional(z.object({ hash: z.string(), until: instant })),
  /** When the last delivery came that was taken; written at most once a minute. */
  last_delivery_at: z.optional(instant),
  /** The last delivery that was refused; written at most once a minute. */
  rejection: z.optional(z.object({ at: instant, reason: z.string() })),
  /** Minutes in which deliveries were refused. */
  rejected_minutes: z.optional(z.number()),

  // OAuth (crm-b, help-desk)
  /** Absent: never connected, or disconnected. */
  grant: z.optional(grantSchema),
  access: z.optional(accessSchema),
  /** Who refreshes the access token at the moment. */
  refresh_lease: z.optional(z.object({ holder: z.string(), until: instant })),
  /** The refreshes of this grant within ten minutes. */
  refreshes: z.optional(z.array(instant)),
  /** The grant is gone at the provider: only a person can connect again. */
  reconnect_needed: z.optional(z.object({ at: instant, reason: z.string() })),

  // The watch channel (crm-b)
  channel: z.optional(z.object({ id: z.string(), armed_at: instant, expires_at: instant })),
  /** What the last look at the provider found. */
  channel_check: z.optional(
    z.object({ at: instant, status: z.enum(['active', 'inactive', 'unchecked']), reason: z.optional(z.string()) }),
  ),
  /** Since when leads change at the provider and none is delivered, although the channel looks active. */
  silent_since: z.optional(instant),
  /** Since when changes were missed that nobody has caught up on yet. */
  catch_up_from: z.optional(instant),
});

export type Connection = z.infer<typeof connectionSchema>;

/** Whether events of the connection may lead to calls: CRM-A's has a token, the others' a grant. */
export const isConnected = ({ type, token_hash, grant }: Pick<Connection, 'type' | 'token_hash' | 'grant'>): boolean =>
  type === 'crm-a' ? token_hash !== undefined : grant !== undefined;
