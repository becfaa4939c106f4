import type { ReactNode } from 'react';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { InternalLink } from '../../parts/text/internal-link.tsx';
import { counted, percent, totalsOf, whole } from '../../words/overview/overview.ts';
import { credits } from '../../words/times.ts';
import styles from './home.module.css';

/** Today's figures, and the calls in progress. */
export function Today({ overview: { usage, now } }: { overview: Overview }) {
  const today = usage?.at(-1);
  const totals = today && totalsOf([today]);
  return (
    <section aria-label="Today">
      <dl className={styles.tiles}>
        <Tile
          name="Calls today"
          value={totals ? whole(totals.calls) : '–'}
          note={totals ? 'that have ended, in India’s day' : 'cannot be read right now'}
        />
        <Tile name="Answered today" value={percent(totals?.answeredShare)} note="of those that were not canceled" />
        <Tile
          name="Successful today"
          value={totals ? whole(totals.successes) : '–'}
          note={
            totals?.successShare === undefined
              ? 'by the first analysis of an answered call'
              : `${percent(totals.successShare)} of those answered, by their first analysis`
          }
        />
        <Tile name="Credits today" value={totals ? credits(totals.credits) : '–'} note="charged for ended calls" />
        <Tile
          name="Live now"
          value={now ? counted(now.live) : '–'}
          note={
            now ? (
              <>
                {counted(now.waiting)} waiting for a line.{' '}
                <InternalLink href="/calls?phase=live">View the live calls</InternalLink>. Later:{' '}
                <InternalLink href="/calls?phase=scheduled">{counted(now.scheduled)} scheduled</InternalLink>
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
