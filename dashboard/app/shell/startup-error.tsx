import { Button } from '../../components/button/button.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { ApiError } from '../api/api-error.ts';
import { endSession, session } from '../session/browser-session.ts';
import styles from './shell.module.css';

type Props = { error: unknown; onRetry: () => void; canSignOut?: boolean };

/** Replaces all pages if the dashboard cannot determine who is signed in. */
export function StartupError({ error, onRetry, canSignOut = false }: Props) {
  const isNoMember = error instanceof ApiError && error.code === 'no_membership';
  return (
    <main className={styles.startupError}>
      <h1>{isNoMember ? 'No access' : 'The dashboard cannot start'}</h1>
      <ErrorNotice error={error} {...(!isNoMember && { onRetry })} />
      {canSignOut && (
        <div>
          {/* If even that fails, this browser forgets the session. */}
          <Button onClick={() => endSession(false).catch(() => session.end())}>Sign out</Button>
        </div>
      )}
    </main>
  );
}
