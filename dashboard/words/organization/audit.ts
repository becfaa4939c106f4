import type { AuditAction } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import { isRole } from '../../../shared/domain/organizations/members/member.ts';
import type { AuditEntryView } from '../../../shared/messages/dashboard/people.ts';
import { connectionNames } from '../connections/connections.ts';
import { roleNames } from '../people/roles.ts';

/** The change as a verb, to follow the name of its author: "Priya Nair | invited | Asha Rao". */
export const auditVerbs: Readonly<Record<AuditAction, string>> = {
  'member.invited': 'invited',
  'member.role_changed': 'changed the role of',
  'member.removed': 'removed',
  'member.updated': 'changed the profile of',
  'member.signed_out_everywhere': 'ended every session of',
  'key.created': 'created the API key',
  'key.revoked': 'revoked the API key',
  'do_not_call.added': 'added numbers to the',
  'do_not_call.removed': 'removed from the do-not-call list',
  'assistant.created': 'created the assistant',
  'assistant.updated': 'changed the assistant',
  'assistant.deleted': 'deleted the assistant',
  'assistant.knowledge_added': 'added files to the knowledge of',
  'assistant.knowledge_removed': 'removed a file from the knowledge of',
  'call.test_placed': 'placed a test call to',
  'org.created': 'created the organization',
  'org.credit_added': 'added or took back credit of',
  'org.updated': 'changed the settings of',
  'org.suspended': 'suspended',
  'org.resumed': 'resumed',
  'org.retention_applied': 'applied the retention to earlier calls of',
  'callback_secret.revealed': 'read the callback secret of',
  'callback_secret.rotated': 'replaced the callback secret of',
  'call.stopped': 'stopped the call to',
  'call.erased': 'erased the',
  'person.erased': 'erased all calls of a',
  'person.exported': 'exported all data of a',
  'call.analyzed': 'analyzed again the call to',
  'callback.resent': 'sent again the callback',
  'leads.retried': 'retried leads of',
  'connection.created': 'created the connection',
  'connection.updated': 'changed the connection',
  'connection.consent_begun': 'began a consent to the connection',
  'connection.consent_pending': 'got a consent to confirm for the connection',
  'connection.consent_refused': 'refused a consent to the connection',
  'connection.consent_expired': 'removed an expired consent to the connection',
  'connection.connected': 'connected',
  'connection.token_replaced': 'replaced the token of the connection',
  'connection.disconnected': 'disconnected',
  'connection.test_event_sent': 'sent a test event to the connection',
};

/** The same change as an entry of a choice. */
export const auditActionNames: Readonly<Record<AuditAction, string>> = {
  'member.invited': 'Person invited',
  'member.role_changed': 'Role changed',
  'member.removed': 'Person removed',
  'member.updated': 'Profile changed',
  'member.signed_out_everywhere': 'Signed out everywhere',
  'key.created': 'API key created',
  'key.revoked': 'API key revoked',
  'do_not_call.added': 'Do-not-call numbers added',
  'do_not_call.removed': 'Do-not-call number removed',
  'assistant.created': 'Assistant created',
  'assistant.updated': 'Assistant changed',
  'assistant.deleted': 'Assistant deleted',
  'assistant.knowledge_added': 'Knowledge added',
  'assistant.knowledge_removed': 'Knowledge removed',
  'call.test_placed': 'Test call placed',
  'org.created': 'Organization created',
  'org.credit_added': 'Credit added or taken back',
  'org.updated': 'Organization changed',
  'org.suspended': 'Organization suspended',
  'org.resumed': 'Organization resumed',
  'org.retention_applied': 'Retention applied',
  'callback_secret.revealed': 'Callback secret read',
  'callback_secret.rotated': 'Callback secret replaced',
  'call.stopped': 'Call stopped',
  'call.erased': 'Call erased',
  'person.erased': 'Person erased',
  'person.exported': 'Person exported',
  'call.analyzed': 'Call analyzed again',
  'callback.resent': 'Callback sent again',
  'leads.retried': 'Leads retried',
  'connection.created': 'Connection created',
  'connection.updated': 'Connection changed',
  'connection.consent_begun': 'Consent begun',
  'connection.consent_pending': 'Consent awaits confirmation',
  'connection.consent_refused': 'Consent refused',
  'connection.consent_expired': 'Consent expired',
  'connection.connected': 'Connection connected',
  'connection.token_replaced': 'Connection’s token replaced',
  'connection.disconnected': 'Connection disconnected',
  'connection.test_event_sent': 'Test event sent',
};

const attributeNames: Readonly<Record<string, string>> = {
  assignee_mapping: 'Assignee',
  assistant_id: 'Assistant',
  auto_call: 'Calls leads automatically',
  call_window_end: 'Calling hours until',
  call_window_start: 'Calling hours from',
  classification_mapping: 'Classification',
  default_region: 'Country of numbers',
  departmentId: 'Department',
  disposition_crm_field: 'Field for the Sunday retry',
  disposition_value: 'Value for the Sunday retry',
  email: 'E-mail',
  email_broken_connection: 'E-mail about broken connections',
  email_notices: 'E-mails',
  email_low_credit: 'E-mail about low credit',
  erase_records: 'Removes records of erased people',
  exclude_sunday: 'Not on Sundays',
  max_duration_seconds: 'Longest duration in seconds',
  orgId: 'Organization of the help desk',
  platform_numbers: 'Own numbers',
  priority_mapping: 'Priority',
  run_condition: 'Which calls get a ticket',
  sunday_rnr_retry: 'Sunday retry',
  revocation: 'Token at the provider',
  trigger_owner_user_id: 'Owner whose leads are called',
  warn_below: 'Warn below',
  name: 'Name',
  permissions: 'Permissions',
  phone: 'Phone',
  role: 'Role',
  sessions_from: 'Sessions before',
};

/** @returns the item's usual name; connections are stored by their types */
export const thingInWords = (name: string): string =>
  Object.hasOwn(connectionNames, name) ? connectionNames[name as keyof typeof connectionNames] : name;

export type ChangeInWords = { what: string; before: string; after: string };

/** @returns the changed attributes, sorted by name; '' for a missing value before or after */
export function changesInWords({ before, after }: Pick<AuditEntryView, 'before' | 'after'>): ChangeInWords[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return names.map((name) => ({
    what: attributeNames[name] ?? sentenceCase(name),
    before: valueInWords(before?.[name]),
    after: valueInWords(after?.[name]),
  }));
}

function valueInWords(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  if (isRole(value)) return roleNames[value];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}

const sentenceCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
