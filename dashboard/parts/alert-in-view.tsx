import type { ReactNode } from 'react';

/** An alert about something that was pressed far below it, such as the button of a long form: it is scrolled to. */
export const AlertInView = ({ children }: { children: ReactNode }) => (
  <div role="alert" ref={intoView}>
    {children}
  </div>
);

const intoView = (alert: HTMLElement | null) => alert?.scrollIntoView({ block: 'center' });
