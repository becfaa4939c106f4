import * as z from 'zod/mini';
import { knownOrganizationsSchema } from './access/consent-identity.ts';
import { accessSchema, grantSchema } from './access/grant.ts';
import { pendingConsentSchema } from './access/pending-consent.ts';
import { connectionTypes } from './connection-type.ts';
import { crmBreakerSchema } from './crm-breaker.ts';
import { missedSweepSchema } from './missed-sweep.ts';

const instant = z.string();

/** A connection as it is stored. */
export const connectionSchema = z.object({
  connection_id: z.string(),
  org_id: z.string(),
  type: z.enum(connectionTypes),
  created_at: instant,
  /** Off: events are received, but no calls are placed. */
  auto_call: z.boolean(),
  /** The recent times in which it was off, the earliest first. Leads from these times are not called later. */
  off_times: z.optional(z.array(z.object({ from: instant, to: z.optional(instant) }))),
  /** The assistant that conducts the calls. */
  assistant_id: z.optional(z.string()),
  /** Only leads of this owner are called. */
  trigger_owner_user_id: z.optional(z.string()),
  /** The settings of the connection's type (crm-b-settings.ts, help-desk-settings.ts). */
  settings: z.optional(z.record(z.string(), z.unknown())),
  /** Counts the changes that people made to the switch, the assistant, the owner and the settings. */
  revision: z.optional(z.number()),
  updated_at: z.optional(instant),
  /** Who made the last of these changes. */
  updated_by: z.optional(z.string()),

  // Deliveries
  /** The SHA-256 of the webhook token; absent to refuse every delivery. */
  token_hash: z.optional(z.string()),
  /** CRM-A: when the token was last replaced. */
  token_replaced_at: z.optional(instant),
  /** The token hashes of unfinished armings. These tokens are accepted, too, until one of them is promoted. */
  pending_token_hashes: z.optional(z.array(z.string())),
  /** The former token, while its channel may still deliver. */
  former_token: z.optional(z.object({ hash: z.string(), until: instant })),
  /** The last accepted delivery; written once a minute at most, with the exceptions of delivery-notes.ts. */
  last_delivery_at: z.optional(instant),
  /** CRM-A: the usual gap between deliveries, and the time over which it is averaged, in seconds of weekdays. */
  delivery_rhythm: z.optional(z.object({ usual_gap: z.number(), observed: z.number() })),
  /** The last refused delivery; written once a minute at most, with the exceptions of delivery-notes.ts. */
  rejection: z.optional(z.object({ at: instant, reason: z.string() })),
  /** The number of minutes with refused deliveries. */
  rejected_minutes: z.optional(z.number()),

  // OAuth (crm-b, help-desk)
  /** Absent if the connection was never connected or is disconnected. */
  grant: z.optional(grantSchema),
  access: z.optional(accessSchema),
  /** The organizations of the last grant. They are kept after it has ended, to detect another organization. */
  known_organizations: z.optional(knownOrganizationsSchema),
  /** When a consent of another organization than before was confirmed; absent if that never happened. */
  organization_since: z.optional(instant),
  /** A consent that awaits its confirmation. */
  pending_consent: z.optional(pendingConsentSchema),
  /** The lease of the worker that refreshes the access token. */
  refresh_lease: z.optional(z.object({ holder: z.string(), until: instant })),
  /** The refreshes of this grant in the last ten minutes. */
  refreshes: z.optional(z.array(instant)),
  /** The vendor has ended the grant. Only a new consent connects again. */
  reconnect_needed: z.optional(z.object({ at: instant, reason: z.string() })),

  // The watch channel (crm-b)
  channel: z.optional(z.object({ id: z.string(), armed_at: instant, expires_at: instant })),
  /** When check-watch-channels last visited the connection, whatever the result. */
  channel_visited_at: z.optional(instant),
  /** The result of the last check at CRM-B. */
  channel_check: z.optional(
    z.object({ at: instant, status: z.enum(['active', 'inactive', 'unchecked']), reason: z.optional(z.string()) }),
  ),
  /**
   * The time since which leads change at CRM-B without deliveries of the active channel; CRM-A: when the missing
   * deliveries were noticed.
   */
  silent_since: z.optional(instant),
  /** The start of a gap that is not caught up on yet. */
  catch_up_from: z.optional(instant),
  /** The last time at which a lead was left to the catch-up; written about every half minute. */
  catch_up_to: z.optional(instant),
  crm_breaker: z.optional(crmBreakerSchema),
  missed_sweep: z.optional(missedSweepSchema),
});
