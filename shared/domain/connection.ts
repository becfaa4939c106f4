import * as z from 'zod/mini';
import { secondsBetween } from './dial-timing.ts';

const instant = z.string();

/** What an org may connect: one of each (interface, "Connection"). */
export const connectionTypes = ['crm-a'] as const;
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
  /** SHA-256 of the webhook token; absent = disconnected. */
  token_hash: z.optional(z.string()),
  /** When the last delivery came that was taken; written at most once a minute. */
  last_delivery_at: z.optional(instant),
  /** The last delivery that was refused; written at most once a minute. */
  rejection: z.optional(z.object({ at: instant, reason: z.string() })),
  /** Minutes in which deliveries were refused. */
  rejected_minutes: z.optional(z.number()),
});

export type Connection = z.infer<typeof connectionSchema>;

/** `not_connected`: no delivery has ever come, or the connection is off. `rejecting`: the last ones were refused. */
export type ConnectionStatus = 'not_connected' | 'healthy' | 'rejecting';

export function connectionStatus({ token_hash, last_delivery_at, rejection }: Connection): ConnectionStatus {
  if (!token_hash) return 'not_connected';
  if (rejection && rejection.at > (last_delivery_at ?? '')) return 'rejecting';
  return last_delivery_at ? 'healthy' : 'not_connected';
}

const NOTED_EVERY_SECONDS = 60;

/** Whether a refused delivery is written down: once a minute at most, whoever keeps sending. */
export const isRejectionDue = ({ rejection }: Connection, now: Date): boolean =>
  !rejection || secondsBetween(rejection.at, now) >= NOTED_EVERY_SECONDS;

/** Whether a taken delivery is written down: once a minute, and at once where it ends a time of refusals. */
export const isDeliveryDue = ({ last_delivery_at, rejection }: Connection, deliveredAt: string): boolean =>
  !last_delivery_at ||
  secondsBetween(last_delivery_at, deliveredAt) >= NOTED_EVERY_SECONDS ||
  (rejection !== undefined && rejection.at > last_delivery_at && deliveredAt > rejection.at);
