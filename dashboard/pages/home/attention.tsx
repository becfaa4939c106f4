import { CircleCheck, OctagonAlert, TriangleAlert } from 'lucide-react';
import type { Overview } from '../../../shared/messages/dashboard/overview.ts';
import { buttonClass } from '../../components/button/button.tsx';
import { classNames } from '../../components/class-names.ts';
import { Card } from '../../components/layout/card.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { describeAttention } from '../../words/overview/attention.ts';
import styles from './home.module.css';

/** Lists the problems that need attention; each links to its fix. */
export function Attention({ overview: { attention, credit, unread } }: { overview: Overview }) {
  const needs = describeAttention(attention, credit?.days_left ?? null);
  return (
    <Card title={needs.length > 0 ? `Needs you (${needs.length})` : 'Needs you'}>
      {needs.length === 0 && (
        <p className={styles.fine}>
          <CircleCheck aria-hidden="true" />
          {unread.length === 0 ? 'All is well.' : 'No problem in the data that could be read.'}
        </p>
      )}
      <ul className={styles.needs}>
        {needs.map(({ sentence, action, to, tone }) => (
          <li key={sentence} className={classNames(styles.need, styles[tone])}>
            {tone === 'bad' ? <OctagonAlert aria-hidden="true" /> : <TriangleAlert aria-hidden="true" />}
            <span>{sentence}</span>
            <InternalLink href={to} className={buttonClass('secondary')}>
              {action}
            </InternalLink>
          </li>
        ))}
      </ul>
      {unread.length > 0 && needs.length > 0 && (
        <p className={styles.note}>Some data could not be read right now, so this list may be incomplete.</p>
      )}
    </Card>
  );
}
