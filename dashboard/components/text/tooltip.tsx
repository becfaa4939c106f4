import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import styles from './tooltip.module.css';

/** An explanation on hover and focus; Escape closes it. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactElement<Record<string, unknown>> }) {
  return (
    <Base.Root>
      {/* A click also opens it, because phones have no hover. */}
      <Base.Trigger render={children} delay={200} closeOnClick={false} />
      <Base.Portal>
        <Base.Positioner sideOffset={8} className={styles.positioner}>
          <Base.Popup className={styles.popup}>{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
