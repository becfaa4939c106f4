import type { ReactNode } from 'react';
import styles from './tabs.module.css';

/** Views of a page, each with its own address: links with `aria-current` on the current one. */
export const Tabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav aria-label={label} className={styles.tabs}>
    {children}
  </nav>
);

/** The class of each link in `Tabs`. */
export const tabClass = styles.tab;

/** The number of items in a tab. Screen readers need a blank before it. */
export const TabCount = ({ children }: { children: ReactNode }) => (
  <>
    {' '}
    <span className={styles.count}>{children}</span>
  </>
);
