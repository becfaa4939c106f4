import { CircleCheck, OctagonAlert, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { classNames } from '../class-names.ts';
import { RequestId } from './request-id.tsx';
import styles from './toaster.module.css';
import { dismiss, shownToasts, subscribeToToasts } from './toasts.ts';

/** The live region for confirmations, and for failures without a place of their own. */
export function Toaster() {
  const toasts = useSyncExternalStore(subscribeToToasts, shownToasts);
  return (
    <div className={styles.region} role="status" aria-live="polite">
      {toasts.map(({ id, text, isFailure, requestId }) => (
        <div key={id} className={classNames(styles.toast, isFailure && styles.failure)}>
          {isFailure ? <OctagonAlert aria-hidden="true" /> : <CircleCheck aria-hidden="true" />}
          <div className={styles.text}>
            {text}
            {requestId && <RequestId id={requestId} />}
          </div>
          <button type="button" className={styles.close} aria-label="Dismiss" onClick={() => dismiss(id)}>
            <X aria-hidden="true" />
          </button>
        </div>
      ))}
    </div>
  );
}
