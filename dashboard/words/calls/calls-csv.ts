import type { CallRow } from '../../../shared/messages/dashboard/calls.ts';
import { formatCsv } from '../../app/files/csv.ts';
import { nameIn, wordsIn } from '../newer.ts';
import { formatTimeInIndia } from '../times.ts';
import { callbackWords, describeEndedReason, sourceNames, statusWords, successWords } from './calls.ts';

const HEADER = [
  'Placed (UTC)',
  'Placed (India)',
  'Phone',
  'Assistant',
  'Source',
  'Status',
  'Why it ended',
  'Seconds',
  'Credits',
  'Result',
  'Callback',
  'Scheduled for (UTC)',
  'Scheduled for (India)',
  'Id',
];

/** Writes calls as a CSV file, with the words of the page. */
export const callsCsv = (calls: readonly CallRow[]): string =>
  formatCsv(
    HEADER,
    calls.map((call) => [
      call.placed_at,
      formatTimeInIndia(call.placed_at),
      call.phone_number,
      call.assistant.name,
      nameIn(sourceNames, call.source),
      wordsIn(statusWords, call.status).name,
      call.ended_reason && describeEndedReason(call.ended_reason),
      call.duration,
      call.cost,
      call.success && wordsIn(successWords, call.success).name,
      call.callback_status && wordsIn(callbackWords, call.callback_status).name,
      call.scheduled_for,
      call.scheduled_for && formatTimeInIndia(call.scheduled_for),
      call.id,
    ]),
  );
