import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { connectionTypes } from '../../../shared/domain/connections/connection-type.ts';
import type { createConnection } from '../../../shared/messages/dashboard/connections.ts';
import type { Answer } from '../../app/api/send.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { errorToShow } from '../../app/query/stale-data.ts';
import { Card } from '../../components/layout/card.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { ConnectionCard, NewerConnectionCard } from './connection-card.tsx';
import styles from './connections.module.css';
import { connectionsQuery } from './connections-query.ts';
import { TokenDialog } from './token-dialog.tsx';

export const prefetch = () => queryClient.prefetchQuery(connectionsQuery);

/** The connections: two CRMs and the help desk. */
export function Connections() {
  const list = useQuery(connectionsQuery);
  const error = errorToShow(list);
  const [made, setMade] = useState<Answer<typeof createConnection>>();
  return (
    <Page
      title="Connections"
      lead="Where leads come from, and where tickets go. Each takes about five minutes to set up."
    >
      {error !== null && <ErrorNotice error={error} onRetry={() => list.refetch()} />}
      {list.isPending && (
        <Card>
          <Skeleton label="Loading the connections" />
        </Card>
      )}
      {list.data && (
        <div className={styles.cards}>
          {connectionTypes.map((type) => (
            <ConnectionCard
              key={type}
              type={type}
              connection={list.data.items.find((one) => one.type === type)}
              onMade={setMade}
            />
          ))}
          {list.data.newer?.map((one) => (
            <NewerConnectionCard key={one.connection_id} connection={one} />
          ))}
        </div>
      )}
      {made?.token && (
        <TokenDialog connection={made.connection} token={made.token} onClose={() => setMade(undefined)} isNew />
      )}
    </Page>
  );
}
