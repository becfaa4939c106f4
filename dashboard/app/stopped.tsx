import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { ApiError } from './api-error.ts';
import { endSession, session } from './browser-session.ts';
import styles from './shell.module.css';

type Props = { error: unknown; retry: () => void; canSignOut?: boolean };

/** In place of all pages, where the dashboard cannot find out who is there. */
export function Stopped({ error, retry, canSignOut = false }: Props) {
  const isOut = error instanceof ApiError && error.code === 'no_membership';
  return (
    <main className={styles.stopped}>
      <h1>{isOut ? 'No access any more' : 'The dashboard cannot start'}</h1>
      <Failure error={error} {...(!isOut && { retry })} />
      {canSignOut && (
        <div>
          {/* Where even that fails, this browser forgets the session. */}
          <Button onClick={() => endSession(false).catch(() => session.end())}>Sign out</Button>
        </div>
      )}
    </main>
  );
}
