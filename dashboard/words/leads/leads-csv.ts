import { groupOfOutcome } from '../../../shared/domain/leads/outcome-groups.ts';
import type { LeadEventRow } from '../../../shared/messages/dashboard/leads.ts';
import { formatCsv } from '../../app/files/csv.ts';
import { statusWords } from '../calls/calls.ts';
import { nameIn, wordsIn } from '../newer.ts';
import { timeInIndia } from '../times.ts';
import { crmNames, groupNames, happeningNames, maskedInWords, sourceWords } from './leads.ts';
import { outcomeInWords } from './outcomes.ts';

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
  'Scheduled for',
  'Payload keys',
  'Event',
];

const groupInWords = (outcome: string): string => {
  const group = groupOfOutcome(outcome);
  return group ? groupNames[group] : '';
};

/** Writes lead events as a CSV file, with the words of the page. */
export const leadsCsv = (events: readonly LeadEventRow[]): string =>
  formatCsv(
    HEADER,
    events.map((event) => [
      event.at,
      timeInIndia(event.at),
      nameIn(crmNames, event.crm),
      nameIn(happeningNames, event.event),
      nameIn(sourceWords, event.source),
      event.is_test ? 'yes' : 'no',
      event.lead_id,
      event.phone_masked && maskedInWords(event.phone_masked),
      event.owner_id,
      groupInWords(event.outcome),
      outcomeInWords(event.outcome).name,
      event.reason,
      outcomeInWords(event.outcome).fix.text,
      event.call?.id,
      event.call?.status && wordsIn(statusWords, event.call.status).name,
      event.scheduled_for,
      event.payload_keys.join(' '),
      event.id,
    ]),
  );
