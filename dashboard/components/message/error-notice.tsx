import { type ReactNode, useContext, useEffect, useState } from 'react';
import { ApiError } from '../../app/api/api-error.ts';
import { suggestedFix } from '../../app/session/rights.ts';
import { MeContext } from '../../app/shared-queries/me.ts';
import { describeError } from '../../words/errors.ts';
import { formatDuration } from '../../words/times.ts';
import { Button } from '../button/button.tsx';
import { VisuallyHidden } from '../visually-hidden.tsx';
import styles from './error-notice.module.css';
import { Notice } from './notice.tsx';
import { RequestId } from './request-id.tsx';

type Props = { error: unknown; onRetry?: () => void; children?: ReactNode };

/** A mistyped password needs no request id. */
const isMistake = ({ code }: ApiError) => code === 'wrong_credentials';

/** An error in words, with the next step and the request id. */
export function ErrorNotice({ error, onRetry, children }: Props) {
  const { sentence } = describeError(error);
  const fix = suggestedFix(error, useContext(MeContext));
  const { requestId, retryAfter } = error instanceof ApiError && !isMistake(error) ? error : {};
  const seconds = useCountdown(error);
  return (
    <div role="alert">
      <Notice tone="bad" title={sentence}>
        {seconds > 0 ? (
          <p>
            {/* Hidden from screen readers, which would read out every second. */}
            <span aria-hidden="true">Try again in {formatDuration(seconds)}.</span>
            <VisuallyHidden>Try again in {retryAfter} seconds.</VisuallyHidden>
          </p>
        ) : (
          <p>{fix}</p>
        )}
        {children}
        {requestId && <RequestId id={requestId} />}
        {onRetry && (
          <p className={styles.retry}>
            <Button onClick={onRetry} aria-disabled={seconds > 0}>
              Try again
            </Button>
          </p>
        )}
      </Notice>
    </div>
  );
}

/** @returns the seconds until the next attempt is allowed, counting down */
export function useCountdown(error: unknown): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const wait = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
    const until = Date.now() + wait * 1000;
    const tick = () => setSeconds(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    tick();
    if (wait <= 0) return;
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [error]);
  return seconds;
}
