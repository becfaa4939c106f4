import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';

type MissedSweep = NonNullable<ConnectionView['health']['missed_sweep']>;

/** What happens to the leads of a Sunday retry that did not come to its end. */
export const missedSweepNote = ({ given_up_at }: Pick<MissedSweep, 'given_up_at'>): string =>
  given_up_at === null
    ? 'not completed; the remaining leads follow when the CRM answers, within twelve hours'
    : 'the CRM did not answer for twelve hours; the remaining leads wait for the next Sunday retry';
