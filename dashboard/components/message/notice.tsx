import { CircleCheck, Info, OctagonAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import styles from '../surfaces.module.css';

const icons = { good: CircleCheck, warn: TriangleAlert, bad: OctagonAlert, info: Info };

type Props = { tone: keyof typeof icons; title?: ReactNode; children?: ReactNode; action?: ReactNode };

/** A message that stays on the page, unlike a toast. */
export function Notice({ tone, title, children, action }: Props) {
  const Icon = icons[tone];
  return (
    <div className={classNames(styles.notice, styles[tone])}>
      <Icon aria-hidden="true" />
      <div className={styles.noticeBody}>
        {title && <p className={styles.noticeTitle}>{title}</p>}
        {children}
      </div>
      {action}
    </div>
  );
}
