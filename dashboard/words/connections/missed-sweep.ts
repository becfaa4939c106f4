import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';

type MissedSweep = NonNullable<ConnectionView['health']['missed_sweep']>;

/** Says what happens to the remaining leads of a Sunday retry that was not completed. */
export const missedSweepNote = ({ given_up_at }: Pick<MissedSweep, 'given_up_at'>): string =>
  given_up_at === null
    ? 'not completed; the remaining leads follow when the CRM answers, within twelve hours'
    : 'the CRM did not answer for twelve hours; the remaining leads wait for the next Sunday retry';
