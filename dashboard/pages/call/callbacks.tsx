import { resendCallback } from '../../../shared/messages/dashboard/call-actions.ts';
import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { useAction } from '../../app/query/use-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Table, tableStyles } from '../../components/list/table.tsx';
import { toast, toastFailure } from '../../components/message/toasts.ts';
import { Badge } from '../../components/text/badge.tsx';
import { Time } from '../../components/text/time.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { callbackName, callbackStates, describeAttempt, isBeingSent } from '../../words/calls/call-page.ts';
import { wordsIn } from '../../words/newer.ts';
import styles from './call.module.css';
import { refreshCall } from './call-query.ts';

type Callback = ShownCall['callbacks'][number];

/** The notifications to the client's own system, with every attempt. Each can be sent again. */
export const Callbacks = ({ call }: { call: ShownCall }) => (
  <Card title="Callbacks" lead={call.callback_url && `To ${call.callback_url}`} isFlush>
    <Table caption="Callbacks" columns={['Event', 'State', 'Attempts', '']} isDense>
      {call.callbacks.map((callback) => (
        <tr key={callback.webhook_id}>
          <td className={styles.event}>{callbackName(callback.type)}</td>
          <td data-label="State">
            <Badge tone={wordsIn(callbackStates, callback.state).tone}>
              {wordsIn(callbackStates, callback.state).name}
            </Badge>
          </td>
          <td data-label="Attempts">
            <Attempts callback={callback} />
          </td>
          <td className={tableStyles.end}>
            <SendAgain callId={call.id} callback={callback} />
          </td>
        </tr>
      ))}
    </Table>
  </Card>
);

const Attempts = ({ callback: { attempts, next_attempt_at } }: { callback: Callback }) => (
  <ul className={styles.attempts}>
    {attempts.map(({ at, status_code, error, is_asked }) => (
      <li key={at}>
        <Time at={at} /> {describeAttempt({ status_code, error })}
        {is_asked && <span className={styles.muted}> · sent manually</span>}
      </li>
    ))}
    {next_attempt_at && (
      <li>
        Next: <Time at={next_attempt_at} />
      </li>
    )}
  </ul>
);

function SendAgain({
  callId,
  callback: { webhook_id, type, state, asked_at },
}: {
  callId: string;
  callback: Callback;
}) {
  const me = useMe();
  const { run, isBusy } = useAction((error) => toastFailure('The callback was not sent.', error));
  const isSending = isBeingSent(asked_at, Date.now());
  const send = () =>
    run(async () => {
      const sent = await callApi(resendCallback, { params: { id: callId, webhookId: webhook_id } });
      toast(sent.state === 'queued' ? 'The callback is being sent.' : 'An attempt is already in progress.');
      await refreshCall(callId);
    });
  return (
    <GuardedButton
      className={styles.event}
      disabledReason={deniedReason(me, resendCallback)}
      isBusy={isBusy || isSending}
      onClick={send}
    >
      {isSending ? 'Sending' : state === 'pending' ? 'Send now' : 'Send again'}
      <VisuallyHidden> the callback {callbackName(type)}</VisuallyHidden>
    </GuardedButton>
  );
}
