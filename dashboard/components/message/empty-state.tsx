import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from '../surfaces.module.css';

type Props = { icon: LucideIcon; title: string; children?: ReactNode; actions?: ReactNode };

/** An empty state, with the next step. */
export function EmptyState({ icon: Icon, title, children, actions }: Props) {
  return (
    <div className={styles.empty}>
      <span className={styles.emptyIcon}>
        <Icon aria-hidden="true" />
      </span>
      <h2 className={styles.emptyTitle}>{title}</h2>
      {children && <div className={styles.emptyText}>{children}</div>}
      {actions && <div className={styles.emptyActions}>{actions}</div>}
    </div>
  );
}
