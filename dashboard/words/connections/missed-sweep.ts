import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';

type MissedSweep = NonNullable<ConnectionView['health']['missed_sweep']>;

/** What happens to the leads of a Sunday retry that the CRM did not answer. */
export const missedSweepNote = ({ given_up_at }: Pick<MissedSweep, 'given_up_at'>): string =>
  given_up_at === null
    ? 'the CRM did not answer; the remaining leads follow when it does, within twelve hours'
    : 'the CRM did not answer for twelve hours; the remaining leads wait for the next Sunday retry';
