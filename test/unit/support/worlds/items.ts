import type { Grant } from '../../../../shared/domain/connections/access/grant.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { Assistant } from '../../../../shared/domain/organizations/assistants/assistant.ts';
import type { Organization } from '../../../../shared/domain/organizations/organization.ts';

export const ORG = 'org0123456789abcdef';
export const CREDIT = 100_000;
const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** Converts a local time in India to an instant. */
export const ist = (day: string, time: string): string => new Date(`${day}T${time}+05:30`).toISOString();

/** 2026-03-02 is a Monday. */
export const MONDAY = '2026-03-02';
export const TUESDAY = '2026-03-03';
export const WEDNESDAY = '2026-03-04';

export const anOrg = (over: Partial<Organization> = {}): Organization => ({
  org_id: ORG,
  name: 'Demo',
  created_at: CREATED_AT,
  available: CREDIT,
  held: 0,
  rate: 1000,
  default_region: 'IN',
  platform_numbers: ['+15550100000'],
  callback_secrets: [],
  ...over,
});

export const anAssistant = (over: Partial<Assistant> = {}): Assistant => ({
  assistant_id: 'asst_1',
  org_id: ORG,
  name: 'Asha',
  prompt: 'p',
  first_message: 'f',
  max_duration_seconds: 600,
  knowledge_base: [],
  created_at: CREATED_AT,
  ...over,
});

export const aGrant = (over: Partial<Grant> = {}): Grant => ({
  id: 'grant-1',
  data_center: 'in',
  accounts_server: 'https://accounts.zoho.in',
  api_domain: 'https://www.zohoapis.in',
  refresh_token: 'conn_1:refresh-1',
  granted_at: CREATED_AT,
  ...over,
});

/** A new connection without a grant. */
export const aConnection = (over: Partial<Connection> = {}): Connection => ({
  connection_id: 'conn_1',
  org_id: ORG,
  type: 'crm-b',
  created_at: CREATED_AT,
  auto_call: true,
  ...over,
});
