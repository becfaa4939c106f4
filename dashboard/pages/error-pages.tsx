import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useContext, useEffect } from 'react';
import { MeContext } from '../app/shared-queries/me.ts';
import { buttonClass } from '../components/button/button.tsx';
import { ErrorNotice } from '../components/message/error-notice.tsx';
import styles from './error-pages.module.css';

/** A page that failed to render, or whose script could not be loaded. */
export function ErrorPage({ error }: ErrorComponentProps) {
  useEffect(() => {
    document.title = 'Something failed · Calling service';
  }, []);
  // The shell, which provides `MeContext`, has a `main` of its own.
  const Main = useContext(MeContext) ? 'div' : 'main';
  return (
    <Main className={styles.frame}>
      <h1>This page could not be shown</h1>
      <ErrorNotice error={error} onRetry={() => location.reload()} />
      <p>
        <Link to="/" className={buttonClass('secondary')}>
          Go to Overview
        </Link>
      </p>
    </Main>
  );
}

/** The page for unknown addresses. */
export function NotFoundPage() {
  useEffect(() => {
    document.title = 'Not found · Calling service';
  }, []);
  return (
    <main className={styles.frame}>
      <p className={styles.code}>404</p>
      <h1>Page not found</h1>
      <p>The address may be mistyped, or the item was removed.</p>
      <p>
        <Link to="/" className={buttonClass('primary')}>
          Go to Overview
        </Link>
      </p>
    </main>
  );
}
