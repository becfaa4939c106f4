import type { ReactNode } from 'react';
import styles from './hidden.module.css';

/** Text for screen readers only. */
export const Hidden = ({ id, children }: { id?: string; children: ReactNode }) => (
  <span id={id} className={styles.hidden}>
    {children}
  </span>
);
