import type { LeadEventRow } from '../../../shared/messages/dashboard/leads.ts';
import { describeOutcome } from './outcomes.ts';

/** Describes an event of a connection that only a newer version of the service can read. */
export const decidedByNewer = ({ crm, outcome, reason }: LeadEventRow) => ({
  tone: 'info' as const,
  sentence: `A newer version of the service decided about it, for the connection ${crm}: ${describeOutcome(outcome).name}. ${reason}`,
  fix: { text: 'Its events are below' },
});
