import { isRole } from '../../../shared/domain/organizations/members/member.ts';
import type { AuditEntryView } from '../../../shared/messages/dashboard/people.ts';
import { roleNames } from '../people/roles.ts';
import { formatCredits, formatTimeInIndia } from '../times.ts';

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
  max_live_calls: 'Live calls at once',
  max_wait_minutes: 'Longest wait for a line, in minutes',
  orgId: 'Organization of the help desk',
  outbound_per_minute: 'Placed calls per API key and minute',
  platform_numbers: 'Own numbers',
  priority_mapping: 'Priority',
  requests_per_minute: 'Requests per API key and minute',
  retention_activity: 'Activity is kept, in days',
  retention_calls: 'Calls are kept, in days',
  retention_recordings: 'Recordings are kept, in days',
  retention_transcripts: 'Transcripts are kept, in days',
  run_condition: 'Which calls get a ticket',
  sunday_rnr_retry: 'Sunday retry',
  revocation: 'Token at the provider',
  trigger_owner_user_id: 'Owner whose leads are called',
  warn_below: 'Warn below',
  name: 'Name',
  permissions: 'Permissions',
  phone: 'Phone',
  role: 'Role',
  sessions_from: 'Ended sessions begun before',
};

export type DescribedChange = { what: string; before: string; after: string };

/** @returns the attributes before or after, sorted by name; '' for a missing value */
export function describeChanges({ before, after }: Pick<AuditEntryView, 'before' | 'after'>): DescribedChange[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return names.map((name) => ({
    what: attributeNames[name] ?? sentenceCase(name),
    before: formatValue(before?.[name]),
    after: formatValue(after?.[name]),
  }));
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  if (isRole(value)) return roleNames[value];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'string' && isInstant(value)) return formatTimeInIndia(value);
  if (typeof value === 'number') return formatCredits(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text));

const sentenceCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
