import { hashApiKey, newApiKey } from '../../shared/domain/organizations/api-key.ts';
import { topUpEntry } from '../../shared/domain/organizations/ledger-entry.ts';
import { aConnection, aGrant, anAssistant, anOrg } from '../unit/support/worlds/items.ts';
import { OWNER } from './crm-leads.ts';
import { helpDeskConnection } from './help-desk.ts';
import type { Random } from './random.ts';
import type { Service } from './service.ts';

/** The hold of a call, in units. */
export const HOLD = 10_000;

/** An organization with an API key, an assistant and a connection to each CRM. */
export type Tenant = {
  orgId: string;
  assistantId: string;
  authorization: string;
  connections: { a: string; b: string };
};

/** Creates an organization. Some have limits, little credit or narrow call windows. */
export function createTenant(random: Random, { tables }: Service, index: number, now: string): Tenant {
  const orgId = `org${index}`;
  const assistantId = `asst_${index}`;
  const available = random.chance(0.15) ? 60_000 : 100_000_000;
  const limits = {
    outbound_per_minute: 10_000,
    requests_per_minute: 10_000,
    // The other organizations have no list of countries, like those created by an older release.
    ...(random.chance(0.5) && { countries: [] }),
    ...(random.chance(0.3) && { voice_number_id: `number-${index}` }),
    ...(random.chance(0.3) && { max_live_calls: random.whole(1, 4) }),
    ...(random.chance(0.3) && { max_wait_minutes: random.whole(2, 30) }),
    ...(random.chance(0.2) && { daily_limit: random.whole(1, 8) * HOLD }),
  };
  tables.put('organizations', anOrg({ org_id: orgId, available, ...limits }));
  tables.put('credit-ledger', topUpEntry(orgId, 'start', available, now));
  tables.put('assistants', anAssistant({ assistant_id: assistantId, org_id: orgId }));
  const key = newApiKey(orgId);
  const named = { key_id: `key_${index}`, org_id: orgId, name: 'k', permissions: ['calls:write'], created_at: now };
  tables.put('api-keys', { key_hash: hashApiKey(key), ...named });

  const connections = { a: `conn_a${index}`, b: `conn_b${index}` };
  const calling = { org_id: orgId, assistant_id: assistantId, trigger_owner_user_id: OWNER };
  const settings = {
    call_window_start: '09:00',
    call_window_end: random.pick(['21:00', '21:00', '12:00', '00:30']),
    exclude_sunday: random.chance(0.3),
    sunday_rnr_retry: 'true',
    disposition_crm_field: 'Lead_Status',
    disposition_value: 'RNR',
  };
  tables.put(
    'connections',
    aConnection({ ...calling, connection_id: connections.a, type: 'crm-a', token_hash: 'hash' }),
  );
  tables.put('connections', aConnection({ ...calling, connection_id: connections.b, settings, grant: aGrant() }));
  if (random.chance(0.3)) tables.put('connections', helpDeskConnection(orgId));
  return { orgId, assistantId, authorization: `Bearer ${key}`, connections };
}
