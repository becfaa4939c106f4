import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { resendCallback } from '../../../shared/messages/dashboard/call-actions.ts';
import { type CallRow, showCall } from '../../../shared/messages/dashboard/calls.ts';
import { useAct } from '../../app/act.ts';
import { call as ask } from '../../app/browser-session.ts';
import { useMe } from '../../app/me.ts';
import { refusal } from '../../app/rights.ts';
import { CallLink } from '../../parts/call-link.tsx';
import { Card } from '../../parts/card.tsx';
import { Failure } from '../../parts/failure.tsx';
import { GuardedButton } from '../../parts/guarded-button.tsx';
import { Hidden } from '../../parts/hidden.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Table, tableStyles } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { toSendAgain } from '../../words/call-page.ts';
import { phoneInWords } from '../../words/calls.ts';
import { callPages } from '../calls/calls-query.ts';

const SHOWN = 10;

export const failedCallbacks = callPages({ callback: 'failed' });

/** The newest calls whose callback failed. Each is sent again by a press. */
export function FailedCallbacks() {
  const list = useInfiniteQuery(failedCallbacks);
  const calls = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const shown = calls.slice(0, SHOWN);
  return (
    <Card
      title="Callbacks that failed"
      action={
        <Link to="/calls" search={{ callback: 'failed' }}>
          All of them
        </Link>
      }
      isFlush={shown.length > 0}
    >
      {list.isPending && <Skeleton what="Loading the callbacks that failed" />}
      {list.isError && !list.data && <Failure error={list.error} retry={() => list.refetch()} />}
      {list.data && shown.length === 0 && (
        <p>
          {list.hasNextPage
            ? 'None among the newest calls.'
            : 'None has failed for good. Whatever is still tried again shows on the page of its call.'}
        </p>
      )}
      {shown.length > 0 && (
        <Table caption="The newest calls whose callback failed" columns={['Placed', 'Call', '']}>
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
  const { act, isBusy, failure } = useAct();
  const send = () =>
    act(async () => {
      const waiting = toSendAgain(await ask(showCall, { params: { id } }));
      for (const { webhook_id: webhookId } of waiting) await ask(resendCallback, { params: { id, webhookId } });
      setNote(waiting.length > 0 ? "Queued again: the call's page shows each attempt." : 'Nothing is left to send.');
    });
  return (
    <tr>
      <td>
        <Time at={placed_at} />
      </td>
      <td data-label="Call">
        <CallLink callId={id} name={phoneInWords(phone_number)} />
        {failure !== undefined && <Failure error={failure} />}
      </td>
      <td className={tableStyles.end}>
        <GuardedButton reason={refusal(me, resendCallback)} isBusy={isBusy} onClick={send}>
          Send again<Hidden> the callbacks of the call to {phoneInWords(phone_number)}</Hidden>
        </GuardedButton>
        <p role="status">{note}</p>
      </td>
    </tr>
  );
}
