import * as z from 'zod/mini';
import { dataCenters } from '../../domain/connections/access/data-center.ts';
import { leadEventKinds, leadSources, outcomes } from '../../domain/connections/activity.ts';
import { connectionStatuses } from '../../domain/connections/connection-health.ts';
import { connectionTypes } from '../../domain/connections/connection-type.ts';
import { nextSteps, setUpSteps } from '../../domain/connections/set-up.ts';
import { orNewer } from '../../domain/newer-values.ts';
import { trimmedText } from '../../domain/text/trimmed-text.ts';
import type { DashboardRoute } from './route.ts';

const text = z.nullable(z.string());

const named = z.object({ id: z.string(), name: z.string() });
const organizations = z.nullable(z.array(named));
const user = z.object({ name: z.string(), email: z.string() });

/** A consent that awaits its confirmation. */
const pendingConsent = z.object({
  id: z.string(),
  data_center: z.string(),
  /** Who consented; null if the remote system did not say. */
  organizations,
  user: z.nullable(user),
  /** The current organizations, if the consent is for another one, which requires an explicit confirmation. */
  instead_of: organizations,
  /** Who began it. */
  begun_by: z.string(),
  at: z.string(),
  expires_at: z.string(),
});

/** A connection as the dashboard shows it: without tokens and their hashes. */
export const connection = z.object({
  connection_id: z.string(),
  type: z.enum(connectionTypes),
  /** For the events of the CRM; null for the help desk. */
  webhook_url: text,
  auto_call: z.boolean(),
  assistant_id: text,
  trigger_owner_user_id: text,
  settings: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  /** Counts the changes that people made; a PATCH carries the revision that it changes. */
  revision: z.number(),
  updated_at: text,
  updated_by: text,
  is_connected: z.boolean(),
  data_center: text,
  granted_at: text,
  /** The help desk's; null if unknown. */
  organizations,
  /** Who consented; null if the remote system did not say. */
  consented: z.nullable(z.object({ organizations: z.array(named), user: z.optional(user) })),
  pending_consent: z.nullable(pendingConsent),
  health: z.object({
    status: z.enum(connectionStatuses),
    reason: text,
    last_delivery_at: text,
    channel_expiry: text,
    rejection: z.nullable(z.object({ at: z.string(), reason: z.string() })),
    /** A Sunday sweep that CRM-B did not answer, until its leads are queued. `given_up_at`: they no longer wait. */
    missed_sweep: z.optional(z.object({ at: z.string(), given_up_at: text })),
  }),
  set_up: z.array(z.object({ step: z.enum(setUpSteps), is_done: z.boolean() })),
  /** The next step; null if the connection works. */
  next_step: z.nullable(z.enum(nextSteps)),
  /** Sentences about settings that have no effect until others are set. */
  without_effect: z.array(z.string()),
});

/** A connection with a type, or another value, that only a newer version of the service knows. */
export const newerConnection = z.object({ connection_id: z.string(), type: z.string(), created_at: z.string() });

export type NewerConnection = z.infer<typeof newerConnection>;

export type ConnectionView = z.infer<typeof connection>;

/** A lead event with its outcome. */
const event = z.object({
  event_id: z.string(),
  at: z.string(),
  source: orNewer([...leadSources, 'dial']),
  event: orNewer(leadEventKinds),
  test: z.boolean(),
  lead_id: text,
  phone_masked: text,
  owner_id: text,
  outcome: orNewer(outcomes),
  reason: z.string(),
  call_id: text,
  scheduled_for: text,
});

export const listConnections = {
  method: 'GET',
  path: '/connections',
  role: 'viewer',
  /**
   * At most one connection of each type. `newer`: connections that only a newer version of the service can read; absent
   * in answers of the release before, which new pages get while a release is deployed.
   */
  answer: z.object({ items: z.array(connection), newer: z.optional(z.array(newerConnection)) }),
} as const satisfies DashboardRoute;

export const createConnection = {
  method: 'POST',
  path: '/connections',
  role: 'admin',
  request: z.strictObject({ type: z.enum(connectionTypes) }),
  /** The token of CRM-A, shown this once. CRM-B and the help desk wait for a consent. */
  answer: z.object({ connection, token: text }),
} as const satisfies DashboardRoute;

export const showConnection = {
  method: 'GET',
  path: '/connections/{id}',
  role: 'viewer',
  query: z.object({
    /** A test event whose outcome is awaited. */
    event_id: z.optional(z.string().check(z.regex(/^evt_[0-9a-f]{8,40}$/))),
  }),
  answer: z.object({
    connection,
    assistant: z.nullable(z.object({ id: z.string(), name: z.string() })),
    /** The newest lead events. */
    events: z.array(event),
    /** The awaited event; null until it is decided. */
    event: z.nullable(event),
    /** Whether this member can confirm the pending consent in this browser. */
    may_confirm: z.boolean(),
  }),
} as const satisfies DashboardRoute;

export type ShownConnection = z.infer<typeof showConnection.answer>;

const id = z.nullable(trimmedText(200));

export const updateConnection = {
  method: 'PATCH',
  path: '/connections/{id}',
  role: 'admin',
  request: z.strictObject({
    revision: z.number().check(z.int(), z.nonnegative()),
    auto_call: z.optional(z.boolean()),
    assistant_id: z.optional(id),
    trigger_owner_user_id: z.optional(id),
    /** Merged into the stored settings; null removes one. */
    settings: z.optional(z.record(z.string(), z.unknown())),
  }),
  /** `note`: says that the help desk did not list its organizations; null otherwise. */
  answer: z.object({ connection, note: text }),
} as const satisfies DashboardRoute;

export const disconnectConnection = {
  method: 'DELETE',
  path: '/connections/{id}',
  role: 'admin',
  /** `provider`: the results for channel and grant at the vendor; null for CRM-A. */
  answer: z.object({
    connection,
    provider: z.nullable(
      z.object({
        channel: z.enum(['stopped', 'not_stopped', 'none']),
        grant: z.enum(['revoked', 'not_revoked', 'none']),
      }),
    ),
  }),
} as const satisfies DashboardRoute;

export const replaceToken = {
  method: 'POST',
  path: '/connections/{id}/token',
  role: 'admin',
  answer: z.object({ connection, token: text }),
} as const satisfies DashboardRoute;

export const beginConsent = {
  method: 'POST',
  path: '/connections/{id}/consent',
  role: 'admin',
  request: z.strictObject({ data_center: z.enum(dataCenters) }),
  /** The vendor's page, on which a person must consent within ten minutes. */
  answer: z.object({ url: z.string() }),
} as const satisfies DashboardRoute;

const consentId = z.string().check(z.regex(/^[0-9a-f]{32}$/));

/** Accepted only from the member and the browser that began the consent. */
export const confirmConsent = {
  method: 'POST',
  path: '/connections/{id}/consent/confirmation',
  role: 'admin',
  request: z.strictObject({
    /** The `id` of the pending consent that the person saw. */
    consent_id: consentId,
    /** One of its organizations. */
    organization_id: z.string().check(z.minLength(1), z.maxLength(50)),
    /** Confirms that a different organization than before is meant. */
    is_other_meant: z.optional(z.boolean()),
  }),
  answer: z.object({
    connection,
    channel: z.enum(['armed', 'failed', 'none']),
    organization: z.nullable(z.enum(['chosen', 'not_chosen'])),
  }),
} as const satisfies DashboardRoute;

export const refuseConsent = {
  method: 'POST',
  path: '/connections/{id}/consent/refusal',
  role: 'admin',
  request: z.strictObject({ consent_id: consentId }),
  /** `is_revoked`: whether the vendor confirmed it. */
  answer: z.object({ connection, is_revoked: z.boolean() }),
} as const satisfies DashboardRoute;

/** null: the remote system did not answer or has no such list, so a person enters the value by its id. */
const choicesOf = z.nullable(z.array(named));

export const listChoices = {
  method: 'GET',
  path: '/connections/{id}/choices',
  role: 'admin',
  query: z.object({
    /** The help desk's organization whose departments and agents to list. */
    organization_id: z.optional(z.string().check(z.regex(/^[\w-]{1,50}$/))),
  }),
  answer: z.object({
    /** The organization's own. */
    assistants: z.array(named),
    owners: choicesOf,
    lead_fields: z.nullable(
      z.array(
        z.object({
          name: z.string(),
          label: z.string(),
          /** The values of a picklist; null for every other field. */
          values: z.nullable(z.array(z.string())),
        }),
      ),
    ),
    organizations: choicesOf,
    departments: choicesOf,
    agents: choicesOf,
    /** Why a list is missing. */
    failure: z.nullable(z.enum(['not_connected', 'reconnect_needed', 'refused', 'unavailable'])),
  }),
} as const satisfies DashboardRoute;

export type Choices = z.infer<typeof listChoices.answer>;

const shortText = trimmedText(200);

export const sendTestEvent = {
  method: 'POST',
  path: '/connections/{id}/test-events',
  role: 'member',
  idempotencyKey: 'required',
  request: z.strictObject({
    /** As the CRM would store it. */
    phone: trimmedText(50),
    first_name: z.optional(shortText),
    /** Absent for the user whose leads are called. */
    owner: z.optional(shortText),
  }),
  answer: z.object({ event_id: z.string() }),
} as const satisfies DashboardRoute;
