import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { buttonClass } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import styles from './broken.module.css';

/** A page that failed while it was shown, or whose script did not come. */
export function BrokenPage({ error }: ErrorComponentProps) {
  useEffect(() => {
    document.title = 'Something failed · Calling service';
  }, []);
  return (
    <main className={styles.frame}>
      <h1>This page could not be shown</h1>
      <Failure error={error} retry={() => location.reload()} />
      <p>
        <Link to="/" className={buttonClass('secondary')}>
          Go to Overview
        </Link>
      </p>
    </main>
  );
}

/** The same for unknown addresses and for other organizations' things. */
export function UnknownPage() {
  useEffect(() => {
    document.title = 'Not found · Calling service';
  }, []);
  return (
    <main className={styles.frame}>
      <p className={styles.code}>404</p>
      <h1>There is nothing here</h1>
      <p>The address may be mistyped, or what it named was removed.</p>
      <p>
        <Link to="/" className={buttonClass('primary')}>
          Go to Overview
        </Link>
      </p>
    </main>
  );
}
