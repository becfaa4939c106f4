import type { ReactNode } from 'react';
import styles from './tabs.module.css';

/** Views of one page, each with an address of its own: links with `aria-current` on the one that is shown. */
export const Tabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav aria-label={label} className={styles.tabs}>
    {children}
  </nav>
);

/** For the links inside. */
export const tabClass = styles.tab;

/** How many there are behind a tab. A name that is read aloud has a blank before the number. */
export const TabCount = ({ children }: { children: ReactNode }) => (
  <>
    {' '}
    <span className={styles.count}>{children}</span>
  </>
);
