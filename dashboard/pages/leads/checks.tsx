import { Check, Clock, Minus, X } from 'lucide-react';
import type { Explanation } from '../../../shared/messages/dashboard/leads.ts';
import { classNames } from '../../components/class-names.ts';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { checkNames, checkStateNames } from '../../words/leads/lead-verdict.ts';
import styles from './leads.module.css';

type Checked = NonNullable<Explanation['verdict']>['checks'];

const icons = { passed: Check, failed: X, waits: Clock, open: Minus };

/** The checks in the order of the decision; the first that fails decides. */
export const Checks = ({ checks }: { checks: Checked }) => (
  <ol className={styles.checks} aria-label="What was checked, in this order">
    <li className={classNames(styles.check, styles.passed)}>
      <Check aria-hidden="true" />
      reached us
    </li>
    {checks.map(({ check, state }) => {
      const Icon = icons[state];
      return (
        <li key={check} className={classNames(styles.check, styles[state])}>
          <Icon aria-hidden="true" />
          {checkNames[check]}
          <VisuallyHidden>: {checkStateNames[state]}</VisuallyHidden>
        </li>
      );
    })}
  </ol>
);
