import { groupOfOutcome } from '../../../shared/domain/leads/outcome-groups.ts';
import type { LeadEventRow } from '../../../shared/messages/dashboard/leads.ts';
import { formatCsv } from '../../app/files/csv.ts';
import { statusWords } from '../calls/calls.ts';
import { nameIn, wordsIn } from '../newer.ts';
import { formatTimeInIndia } from '../times.ts';
import { crmNames, formatMaskedPhone, groupNames, happeningNames, sourceWords, supersededWords } from './leads.ts';
import { describeOutcome } from './outcomes.ts';

const HEADER = [
  'Time (UTC)',
  'Time (India)',
  'CRM',
  'What happened',
  'How',
  'Test',
  'Lead',
  'Phone',
  'Owner',
  'Group',
  'Outcome',
  'Why',
  'Fix',
  'Call',
  'Call status',
  'Scheduled for (UTC)',
  'Scheduled for (India)',
  'Payload keys',
  'Event',
];

/** A superseded entry is in no group. */
const formatGroup = ({ outcome, is_superseded }: LeadEventRow): string => {
  const group = groupOfOutcome(outcome);
  return group && !is_superseded ? groupNames[group] : '';
};

/** Writes lead events as a CSV file, with the words of the page. */
export const leadsCsv = (events: readonly LeadEventRow[]): string =>
  formatCsv(
    HEADER,
    events.map((event) => [
      event.at,
      formatTimeInIndia(event.at),
      nameIn(crmNames, event.crm),
      nameIn(happeningNames, event.event),
      nameIn(sourceWords, event.source),
      event.is_test ? 'yes' : 'no',
      event.lead_id,
      event.phone_masked && formatMaskedPhone(event.phone_masked),
      event.owner_id,
      formatGroup(event),
      describeOutcome(event.outcome).name,
      event.reason,
      event.is_superseded ? supersededWords : describeOutcome(event.outcome).fix.text,
      event.call?.id,
      event.call?.status && wordsIn(statusWords, event.call.status).name,
      event.scheduled_for,
      event.scheduled_for && formatTimeInIndia(event.scheduled_for),
      event.payload_keys.join(' '),
      event.id,
    ]),
  );
