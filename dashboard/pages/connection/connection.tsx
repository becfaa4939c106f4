import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { connectionNames } from '../../../shared/domain/connections/connection-words.ts';
import type { ShownConnection } from '../../../shared/messages/dashboard/connections.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { errorToShow } from '../../app/query/stale-data.ts';
import type { LinkTarget } from '../../app/url/page-route.ts';
import { Page } from '../../components/layout/page.tsx';
import { ConsentNotice } from '../../components/message/consent-notice.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { LoadingOrErrorPage } from '../../components/message/loading-or-error-page.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { connectionDescriptions, describeConnectionState } from '../../words/connections/connections.ts';
import { connectionQuery } from '../connections/connections-query.ts';
import styles from './connection.module.css';
import { Events } from './events.tsx';
import { Health } from './health.tsx';
import { Manage } from './manage.tsx';
import { PendingConsent } from './pending-consent.tsx';
import { SetUp } from './set-up.tsx';
import { Settings } from './settings.tsx';
import { TestEvent } from './test-event.tsx';

export const prefetch = ({ params: { id = '' } }: LinkTarget) => queryClient.prefetchQuery(connectionQuery(id));

/** Resets the state by the key when another connection is opened, because the router reuses the page. */
export function ConnectionPage() {
  const { id } = useParams({ from: '/shell/connections/$id' });
  return <ConnectionLoader key={id} id={id} />;
}

/** One connection: setup, settings and health. Refreshes itself while an event is awaited. */
function ConnectionLoader({ id }: { id: string }) {
  const { pending } = useSearch({ from: '/shell/connections/$id' });
  const [awaited, setAwaited] = useState<string>();
  const shown = useQuery(connectionQuery(id, awaited));
  if (shown.data)
    return (
      <ConnectionDetails
        shown={shown.data}
        awaited={awaited}
        onSent={setAwaited}
        error={errorToShow(shown)}
        onRetry={() => shown.refetch()}
      />
    );
  return (
    <LoadingOrErrorPage noun="connection" notFoundCode="connection_not_found" query={shown}>
      {pending !== undefined &&
        'The consent awaits confirmation by the person who began it. No system is connected yet. '}
      <Link to="/connections">All connections</Link>
    </LoadingOrErrorPage>
  );
}

type Props = {
  shown: ShownConnection;
  awaited: string | undefined;
  onSent: (eventId: string) => void;
  error: unknown;
  onRetry: () => void;
};

function ConnectionDetails({ shown, awaited, onSent, error, onRetry }: Props) {
  const { connection } = shown;
  const { name, tone } = describeConnectionState(connection);
  const isCrm = connection.type !== 'help-desk';
  return (
    <Page
      title={connectionNames[connection.type]}
      lead={
        <span role="status">
          <Badge tone={tone}>{name}</Badge> {connectionDescriptions[connection.type].vendor}
        </span>
      }
      actions={<Manage connection={connection} />}
    >
      <AfterConsent />
      {error !== null && <ErrorNotice error={error} onRetry={onRetry} />}
      <div className={styles.columns}>
        <div className={styles.main}>
          <PendingConsent shown={shown} />
          <SetUp connection={connection} />
          <Settings connection={connection} assistant={shown.assistant} events={shown.events} />
        </div>
        <div className={styles.side}>
          <Health connection={connection} assistant={shown.assistant} />
          {isCrm && <TestEvent connection={connection} awaited={awaited} event={shown.event} onSent={onSent} />}
          {isCrm && <Events connection={connection} events={shown.events} />}
        </div>
      </div>
    </Page>
  );
}

function AfterConsent() {
  const navigate = useNavigate();
  const dismiss = () => navigate({ to: '.', search: {}, replace: true });
  return <ConsentNotice returned={useSearch({ from: '/shell/connections/$id' })} onDismiss={dismiss} />;
}
