import { type ReactNode, useEffect, useRef } from 'react';
import styles from '../surfaces.module.css';
import { countPage } from './page-count.ts';

/** Focuses the page's heading, for use after the focused element has disappeared. */
export const focusHeading = (): void => document.querySelector('h1')?.focus({ preventScroll: true });

type Props = { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode };

/** A page's frame: its title in the tab and as the only h1, which gets the focus when the page changes. */
export function Page({ title, lead, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Calling service`;
  }, [title]);
  useEffect(() => {
    // The browser decides the focus of the first page.
    if (countPage() > 1) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={styles.page}>
      <div className={styles.pageHead}>
        <div>
          <h1 ref={heading} tabIndex={-1} className={styles.title}>
            {title}
          </h1>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}
