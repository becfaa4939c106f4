import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { Card } from '../../components/layout/card.tsx';
import { Time } from '../../components/text/time.tsx';
import { nameIn } from '../../words/newer.ts';
import { creditKindNames, formatSigned } from '../../words/organization/credit.ts';
import { formatCredits, formatDuration } from '../../words/times.ts';
import styles from './call.module.css';
import { DescriptionList } from './description-list.tsx';

export function Credit({ call }: { call: ShownCall }) {
  const { rate, max_duration, held, charged, returned, beyond_hold, entries } = call.credit;
  return (
    <Card title="Credit">
      <DescriptionList
        items={[
          ['Rate', `${formatCredits(rate)} per started minute`],
          ['Longest duration', formatDuration(max_duration)],
          ['Held', formatCredits(held)],
          ['Charged', charged === null ? 'not yet' : formatCredits(charged)],
          ['Returned', returned === null ? null : formatCredits(returned)],
          ['Beyond the hold', beyond_hold > 0 ? `${formatCredits(beyond_hold)}, not charged` : null],
        ]}
      />
      {entries.length > 0 && (
        <>
          <h3 className={styles.given}>Entries of the ledger</h3>
          <ol className={styles.timeline}>
            {entries.map(({ entry, at, kind, amount, held: moved }) => (
              <li key={entry}>
                <span>
                  {nameIn(creditKindNames, kind)}
                  <span className={styles.muted}>
                    {' '}
                    · {amount !== 0 && `${formatSigned(amount)} charged, `}
                    {formatSigned(moved)} held
                  </span>
                </span>
                <Time at={at} hasSeconds />
              </li>
            ))}
          </ol>
        </>
      )}
    </Card>
  );
}
