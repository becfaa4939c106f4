import type { ReactNode } from 'react';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { formatCount, formatInteger, formatPercent, sumUsage } from '../../words/overview/overview.ts';
import { formatCredits } from '../../words/times.ts';
import styles from './home.module.css';

/** Today's figures, and the calls in progress. */
export function Today({ overview: { usage, now } }: { overview: Overview }) {
  const today = usage?.at(-1);
  const totals = today && sumUsage([today]);
  return (
    <section aria-label="Today">
      <dl className={styles.tiles}>
        <Tile
          name="Calls today"
          value={totals ? formatInteger(totals.calls) : '–'}
          note={totals ? 'ended since midnight in India' : 'cannot be read right now'}
        />
        <Tile
          name="Answered today"
          value={formatPercent(totals?.answeredShare)}
          note="of those that were not canceled"
        />
        <Tile
          name="Successful today"
          value={totals ? formatInteger(totals.successes) : '–'}
          note={
            totals?.successShare === undefined
              ? 'by the first analysis of an answered call'
              : `${formatPercent(totals.successShare)} of those answered, by their first analysis`
          }
        />
        <Tile
          name="Credits today"
          value={totals ? formatCredits(totals.credits) : '–'}
          note="charged for ended calls"
        />
        <Tile
          name="Live now"
          value={now ? formatCount(now.live) : '–'}
          note={
            now ? (
              <>
                {formatCount(now.waiting)} waiting for a line.{' '}
                <InternalLink href="/calls?phase=live">View the live calls</InternalLink>. Later:{' '}
                <InternalLink href="/calls?phase=scheduled">{formatCount(now.scheduled)} scheduled</InternalLink>
              </>
            ) : (
              'cannot be read right now'
            )
          }
        />
      </dl>
    </section>
  );
}

const Tile = ({ name, value, note }: { name: string; value: string; note: ReactNode }) => (
  <div className={styles.tile}>
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd className={styles.note}>{note}</dd>
  </div>
);
