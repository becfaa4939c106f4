import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { errorToShow } from '../../app/query/stale-data.ts';
import { useRefetchCreditAfter } from '../../app/shared-queries/me.ts';
import type { LinkTarget } from '../../app/url/page-route.ts';
import { Page } from '../../components/layout/page.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { LoadingOrErrorPage } from '../../components/message/loading-or-error-page.tsx';
import { CallStatusBadge, ElapsedTime } from '../../components/text/call-status-badge.tsx';
import { formatCallDay } from '../../words/calls/call-page.ts';
import { formatPhone } from '../../words/calls/calls.ts';
import { formatDuration } from '../../words/times.ts';
import { CallActions } from './actions.tsx';
import { Analysis } from './analysis.tsx';
import styles from './call.module.css';
import { callQuery } from './call-query.ts';
import { Callbacks } from './callbacks.tsx';
import { Credit } from './credit.tsx';
import { Origin } from './origin.tsx';
import { Recording } from './recording.tsx';
import { Steps } from './steps.tsx';
import { Timeline } from './timeline.tsx';
import { Transcript } from './transcript.tsx';
import { usePlayer } from './use-player.ts';

export const prefetch = ({ params: { id = '' } }: LinkTarget) => queryClient.prefetchQuery(callQuery(id));

/** Resets the player and the dialogs by the key when another call is opened, because the router reuses the page. */
export function CallPage() {
  const { id } = useParams({ from: '/shell/calls/$id' });
  return <CallLoader key={id} id={id} />;
}

/** One call: its timeline, conversation, cost and follow-ups. Refreshes itself while the call is live. */
function CallLoader({ id }: { id: string }) {
  const shown = useQuery(callQuery(id));
  useRefetchCreditAfter(shown.data);
  if (shown.data) return <CallDetails call={shown.data} error={errorToShow(shown)} onRetry={() => shown.refetch()} />;
  return (
    <LoadingOrErrorPage noun="call" notFoundCode="call_not_found" query={shown}>
      <Link to="/calls">All calls</Link>
    </LoadingOrErrorPage>
  );
}

/** The recording and its transcript, kept in step. */
function Conversation({ call }: { call: ShownCall }) {
  const player = usePlayer(call);
  return (
    <>
      <Recording call={call} player={player} />
      <Transcript call={call} player={player} />
    </>
  );
}

function CallDetails({ call, error, onRetry }: { call: ShownCall; error: unknown; onRetry: () => void }) {
  const { status, started_at } = call;
  return (
    <Page
      title={`Call to ${formatPhone(call.phone_number)}`}
      lead={
        <>
          <span role="status">
            <CallStatusBadge status={status} /> {formatCallDay(call)} · <bdi>{call.assistant.name}</bdi>
            {call.duration !== null && ` · ${formatDuration(call.duration)}`}
          </span>
          {status === 'in_progress' && started_at && (
            <>
              {' · '}
              <ElapsedTime since={started_at} />
            </>
          )}
        </>
      }
      actions={<CallActions call={call} />}
    >
      {error !== null && <ErrorNotice error={error} onRetry={onRetry} />}
      <div className={styles.columns}>
        <div className={styles.side}>
          <Conversation call={call} />
          {(call.callbacks.length > 0 || call.callback_url) && <Callbacks call={call} />}
          {(call.steps.length > 0 || call.open_steps.length > 0) && <Steps call={call} />}
        </div>
        <div className={styles.side}>
          <Analysis call={call} />
          <Timeline call={call} />
          <Credit call={call} />
          <Origin call={call} />
        </div>
      </div>
    </Page>
  );
}
