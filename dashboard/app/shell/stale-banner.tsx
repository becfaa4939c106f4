import { notifyManager, onlineManager, useQueryClient } from '@tanstack/react-query';
import { WifiOff } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../../components/button/button.tsx';
import { RequestId } from '../../components/message/request-id.tsx';
import { Time } from '../../components/text/time.tsx';
import { describeError } from '../../words/errors.ts';
import { refetchIntervals } from '../query/refetch-intervals.ts';
import { findStaleData, hasFailedQuery, listQueries, retryFailedQueries, type StaleData } from '../query/stale-data.ts';
import { meQuery } from '../shared-queries/me.ts';
import styles from './shell.module.css';

/**
 * Marks the page's data as stale, with its time, while the network or the service is unavailable. Disappears by itself.
 */
export function StaleBanner() {
  const client = useQueryClient();
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  const stale = useStale(isOnline);
  const [isTrying, setTrying] = useState(false);
  const retry = useCallback(async () => {
    setTrying(true);
    await retryFailedQueries(client, meQuery.queryKey).finally(() => setTrying(false));
  }, [client]);
  useEffect(() => {
    if (!isOnline) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && hasFailedQuery(listQueries(client)))
        void retryFailedQueries(client, meQuery.queryKey);
    }, refetchIntervals.failing);
    return () => clearInterval(timer);
  }, [client, isOnline]);
  return (
    <div role="status" className={styles.staleArea}>
      {(stale || !isOnline) && (
        <div className={styles.stale}>
          <WifiOff aria-hidden="true" />
          <div className={styles.staleText}>
            <p>
              <strong>{stale?.error ? describeError(stale.error).sentence : 'You are offline.'}</strong>{' '}
              {stale && (
                <>
                  The data shown is from <Time at={new Date(stale.since).toISOString()} />.{' '}
                </>
              )}
              It refreshes as soon as {isOnline ? 'the service answers' : 'you are online again'}.
            </p>
            {stale?.error?.requestId && <RequestId id={stale.error.requestId} />}
          </div>
          {isOnline && (
            <Button isBusy={isTrying} onClick={retry}>
              Try now
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** @returns which data on the page is stale, and why */
function useStale(isOnline: boolean): StaleData | undefined {
  const client = useQueryClient();
  const last = useRef<StaleData>(undefined);
  return useSyncExternalStore(
    useCallback((changed) => client.getQueryCache().subscribe(notifyManager.batchCalls(changed)), [client]),
    () => {
      const next = findStaleData(listQueries(client), isOnline);
      const isSame = next?.since === last.current?.since && next?.error === last.current?.error;
      if (!isSame) last.current = next;
      return last.current;
    },
  );
}
