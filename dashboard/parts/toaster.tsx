import { CircleCheck, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import styles from './toaster.module.css';
import { dismiss, shownToasts, subscribeToToasts } from './toasts.ts';

/** The live region in which confirmations appear. */
export function Toaster() {
  const toasts = useSyncExternalStore(subscribeToToasts, shownToasts);
  return (
    <div className={styles.region} role="status" aria-live="polite">
      {toasts.map(({ id, text }) => (
        <div key={id} className={styles.toast}>
          <CircleCheck aria-hidden="true" />
          <span>{text}</span>
          <button type="button" className={styles.close} aria-label="Dismiss" onClick={() => dismiss(id)}>
            <X aria-hidden="true" />
          </button>
        </div>
      ))}
    </div>
  );
}
