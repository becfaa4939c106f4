import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { resendCallback } from '../../../shared/messages/dashboard/call-actions.ts';
import { type CallRow, showCall } from '../../../shared/messages/dashboard/calls.ts';
import { useAction } from '../../app/query/use-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Table, tableStyles } from '../../components/list/table.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { CallLink } from '../../components/text/call-link.tsx';
import { Time } from '../../components/text/time.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { failedCallbacksOf } from '../../words/calls/callbacks.ts';
import { formatPhone } from '../../words/calls/calls.ts';
import { callPages } from '../calls/calls-query.ts';

const SHOWN = 10;

export const failedCallbacks = callPages({ callback: 'failed' });

/** The newest calls whose callback failed. Each callback can be sent again. */
export function FailedCallbacks() {
  const list = useInfiniteQuery(failedCallbacks);
  const calls = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const shown = calls.slice(0, SHOWN);
  return (
    <Card
      title="Failed callbacks"
      action={
        <Link to="/calls" search={{ callback: 'failed' }}>
          All failed callbacks
        </Link>
      }
      isFlush={shown.length > 0}
    >
      {list.isPending && <Skeleton label="Loading the failed callbacks" />}
      {list.isError && !list.data && <ErrorNotice error={list.error} onRetry={() => list.refetch()} />}
      {list.data && shown.length === 0 && (
        <p>
          {list.hasNextPage
            ? 'The newest calls have no failed callback.'
            : 'No callback has failed permanently. The page of a call shows its callbacks that are still retried.'}
        </p>
      )}
      {shown.length > 0 && (
        <Table caption="Newest calls with a failed callback" columns={['Placed', 'Call', '']}>
          {shown.map((call) => (
            <Row key={call.id} call={call} />
          ))}
        </Table>
      )}
    </Card>
  );
}

function Row({ call: { id, placed_at, phone_number } }: { call: CallRow }) {
  const me = useMe();
  const [note, setNote] = useState('');
  const { run, isBusy, failure } = useAction();
  const send = () =>
    run(async () => {
      const failed = failedCallbacksOf(await callApi(showCall, { params: { id } }));
      for (const { webhook_id: webhookId } of failed) await callApi(resendCallback, { params: { id, webhookId } });
      setNote(failed.length > 0 ? 'Queued again. The call’s page shows each attempt.' : 'No callback is left to send.');
    });
  return (
    <tr>
      <td>
        <Time at={placed_at} />
      </td>
      <td data-label="Call">
        <CallLink callId={id} name={formatPhone(phone_number)} />
        {failure !== undefined && <ErrorNotice error={failure} />}
      </td>
      <td className={tableStyles.end}>
        <GuardedButton disabledReason={deniedReason(me, resendCallback)} isBusy={isBusy} onClick={send}>
          Send again<VisuallyHidden> the callbacks of the call to {formatPhone(phone_number)}</VisuallyHidden>
        </GuardedButton>
        <p role="status">{note}</p>
      </td>
    </tr>
  );
}
