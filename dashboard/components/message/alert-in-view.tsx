import type { ReactNode } from 'react';

/** An alert that is scrolled into view, because the clicked button may be far below it. */
export const AlertInView = ({ children }: { children: ReactNode }) => (
  <div role="alert" ref={intoView}>
    {children}
  </div>
);

const intoView = (alert: HTMLElement | null) => alert?.scrollIntoView({ block: 'center' });
