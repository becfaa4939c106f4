import { type ReactNode, useId } from 'react';
import { classNames } from '../class-names.ts';
import styles from '../surfaces.module.css';

type Props = {
  title?: string;
  lead?: ReactNode;
  action?: ReactNode;
  /** Without padding, for tables that reach its edges. */
  isFlush?: boolean;
  children: ReactNode;
};

/** A part of a page with a heading. */
export function Card({ title, lead, action, isFlush = false, children }: Props) {
  const id = useId();
  return (
    <section className={classNames(styles.card, isFlush && styles.flush)} aria-labelledby={title ? id : undefined}>
      {title && (
        <div className={styles.cardHead}>
          <div>
            <h2 id={id} className={styles.cardTitle}>
              {title}
            </h2>
            {lead && <p className={styles.cardLead}>{lead}</p>}
          </div>
          {action && <div>{action}</div>}
        </div>
      )}
      {children}
    </section>
  );
}
