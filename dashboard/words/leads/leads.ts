import type { LeadEventKind, leadSources } from '../../../shared/domain/connections/activity.ts';
import type { OutcomeGroup } from '../../../shared/domain/leads/outcome-groups.ts';
import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import type { LeadEventRow } from '../../../shared/messages/dashboard/leads.ts';
import type { LeadFilters } from '../../app/url/lead-filters.ts';
import { formatCalendarDay, formatTimeInIndia } from '../times.ts';
import { outcomeWords } from './outcomes.ts';

export const groupNames: Readonly<Record<OutcomeGroup, string>> = {
  called: 'Called',
  waiting: 'Waiting',
  skipped: 'Skipped',
  needs_you: 'Needs you',
};

export const crmNames: Readonly<Record<LeadEventRow['crm'], string>> = { 'crm-a': 'CRM-A', 'crm-b': 'CRM-B' };

/** A lead's event at the CRM. */
export const happeningNames: Readonly<Record<LeadEventKind, string>> = {
  new_lead: 'new lead',
  owner_reassignment: 'new owner',
  lead_edited: 'edited',
  lead_deleted: 'deleted',
  sunday_retry: 'Sunday retry',
  test: 'test event',
  other: 'other message',
};

/** The fix of an entry that another one supersedes. */
export const supersededWords = 'Another entry says what happened next.';

/** An entry's origin, if it is not the CRM itself. */
export const sourceWords: Readonly<Record<(typeof leadSources)[number] | 'dial', string>> = {
  webhook: '',
  test: '',
  'sunday-sweep': '',
  retry: 'retried by a person',
  'catch-up': 'fetched later',
  release: 'when its call window opened',
  dial: 'before its phone rang',
};

/** "+91 ••••••• 677": a masked number that cannot be mistaken for a wrong one. */
export const formatMaskedPhone = (masked: string): string =>
  masked.replace(/^(\+\d\d)(\*+)(\d{3})$/, (_, start, stars, end) => `${start} ${'•'.repeat(stars.length)} ${end}`);

/** @returns the list's filters as a sentence */
export function describeLeadFilters({ group, outcome, crm, tests, from, to }: LeadFilters): string {
  const parts = [
    group && groupNames[group].toLowerCase(),
    outcome && `outcome ${outcomeWords[outcome].name}`,
    crm && `from ${crmNames[crm]}`,
    tests && (tests === 'only' ? 'only test events' : 'no test events'),
    from && `from ${formatCalendarDay(from)}`,
    to && `to ${formatCalendarDay(to)}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : `The filters: ${parts.join(', ')}.`;
}

/** @returns when each connected CRM last sent a lead, as sentences */
export const describeDeliveries = (
  connections: readonly Pick<ConnectionView, 'type' | 'is_connected' | 'health'>[],
): string =>
  connections
    .flatMap(({ type, is_connected, health: { last_delivery_at: at } }) => {
      if (type === 'help-desk' || !is_connected) return [];
      return [
        at
          ? `${crmNames[type]} last sent something on ${formatTimeInIndia(at)}.`
          : `${crmNames[type]} has sent nothing yet.`,
      ];
    })
    .join(' ');
