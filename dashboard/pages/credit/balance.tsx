import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMe } from '../../app/shared-queries/me.ts';
import { attentionQuery } from '../../app/shared-queries/overview.ts';
import { Card } from '../../components/layout/card.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { formatRate } from '../../words/assistants/rates.ts';
import { describeLowCredit, formatDaysLeft, formatPace } from '../../words/overview/overview.ts';
import { formatCredits } from '../../words/times.ts';
import styles from './credit.module.css';
import { Threshold } from './threshold.tsx';

/** The balance, how long it will last, the warning threshold, and how calls use it. */
export function Balance() {
  const { org } = useMe();
  const { available, held, least_rate, most_rate } = org;
  const overview = useQuery(attentionQuery);
  const credit = overview.data?.credit;
  const { pace = null, days_left = null, warn_below = null, today = null } = credit ?? {};
  // Pace and threshold come from another request than the balance.
  const unknown = credit ? undefined : overview.isPending ? 'being read…' : 'cannot be read right now';
  const low = describeLowCredit(overview.data?.attention);
  return (
    <Card>
      {low && (
        <div className={styles.low}>
          <Notice tone="warn" title={low}>
            Ask the operator of the service for more. Then retry the leads that were not called for lack of credit.
          </Notice>
        </div>
      )}
      <dl className={styles.figures}>
        <Figure name="Credits available" value={formatCredits(available)} />
        <Figure name="Credits held for calls" value={formatCredits(held)} />
        <Figure
          name="Lasts at the current pace"
          value={days_left === null ? '–' : formatDaysLeft(days_left)}
          note={
            unknown ??
            (pace
              ? `${formatPace(pace)}: the average of the 7 days before today, or today so far`
              : 'No credits used in the 7 days before today.')
          }
        />
        <Figure
          name="Warn below"
          value={unknown ? '–' : warn_below === null ? 'No threshold' : formatCredits(warn_below)}
          note={unknown ?? <Threshold />}
        />
        {today && (
          <Figure
            name="Today’s limit"
            value={`${formatCredits(today.spent)} of ${formatCredits(today.limit)}`}
            note="What today’s calls cost or may cost. At the limit, calls wait. The operator can raise it."
          />
        )}
        <Figure
          name="Rate for a started minute"
          value={formatRate(org)}
          note={
            least_rate < most_rate && (
              <InternalLink href="/settings/organization">See them under Organization</InternalLink>
            )
          }
        />
      </dl>
      <ul className={styles.rules}>
        <li>Each started minute of talk costs {formatRate(org)}. A call without an answer is free.</li>
        <li>Before it is dialed, its maximum cost is held: the rate times its longest duration.</li>
        <li>When it ends, its cost is charged and the rest of the hold is free again. The operator adds credit.</li>
      </ul>
    </Card>
  );
}

const Figure = ({ name, value, note }: { name: string; value: string; note?: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
    {note && <dd className={styles.meaning}>{note}</dd>}
  </div>
);
