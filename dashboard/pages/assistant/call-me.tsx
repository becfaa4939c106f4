import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Phone } from 'lucide-react';
import { useState } from 'react';
import { variablesIn } from '../../../shared/domain/organizations/assistants/assistant-template.ts';
import type { ShownAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import type { Me } from '../../../shared/messages/dashboard/people.ts';
import { placeTestCall } from '../../../shared/messages/dashboard/test-calls.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { useAction } from '../../app/query/use-action.ts';
import { useIdempotentAction } from '../../app/query/use-idempotent-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { meQuery, useMe, useRefetchCreditAfter } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { PlainField } from '../../components/form/field.tsx';
import { Card } from '../../components/layout/card.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { CallStatusBadge } from '../../components/text/call-status-badge.tsx';
import { formatCreditRange, holdRange } from '../../words/assistants/rates.ts';
import { formatPhone } from '../../words/calls/calls.ts';
import { formatCredits, formatDuration } from '../../words/times.ts';
import { callQuery } from '../call/call-query.ts';
import styles from './assistant.module.css';
import { PhoneForm } from './phone-form.tsx';

/** The maximum number of variables with a field; the others stay empty. */
const MAX_FIELDS = 6;

type Props = { assistant: ShownAssistant; isDirty: boolean };

/** Places a real call to the person's own phone after showing its cost, and follows its status. */
export function CallMe({ assistant, isDirty }: Props) {
  const me = useMe();
  const names = variablesIn(`${assistant.first_message} ${assistant.prompt}`).slice(0, MAX_FIELDS);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { place, isBusy, failure, callId } = useTestCall(assistant.assistant_id);
  const [least, most] = holdRange(me.org, assistant.max_duration_seconds);
  const variables = Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name] ?? '']] : [])));
  return (
    <Card title="Call me" lead="A real call to your own phone.">
      <div className={styles.callMe}>
        {me.phone === null && deniedReason(me, placeTestCall) === undefined ? (
          <PhoneForm />
        ) : (
          me.phone !== null && <p className={styles.phone}>{formatPhone(me.phone)}</p>
        )}
        {names.map((name) => (
          <PlainField
            key={name}
            label={`Value of ${name}`}
            value={values[name] ?? ''}
            maxLength={500}
            autoComplete="off"
            onChange={({ target }) => setValues({ ...values, [name]: target.value })}
          />
        ))}
        <p className={styles.muted}>
          {me.org.available < least ? (
            <>
              A call holds {formatCreditRange(least, most)} credits until it ends, and {formatCredits(me.org.available)}{' '}
              are available
            </>
          ) : (
            <>
              Holds {formatCreditRange(least, most)} of {formatCredits(me.org.available)} credits until it ends
            </>
          )}
          {least < most && ', depending on the country of your number'}. It is recorded and analyzed like any other
          call, and may create a help-desk ticket.
        </p>
        {isDirty && <p className={styles.muted}>The call uses the saved version, without your latest changes.</p>}
        {failure !== undefined && <ErrorNotice error={failure} />}
        <GuardedButton
          variant="primary"
          disabledReason={whyNotCallable(me, least)}
          isBusy={isBusy}
          onClick={() => place(variables)}
        >
          <Phone aria-hidden="true" />
          {callId === undefined ? 'Call now' : 'Call again'}
        </GuardedButton>
        {callId !== undefined && <LiveCall id={callId} />}
      </div>
    </Card>
  );
}

/** @param hold the minimum that the call may hold */
function whyNotCallable(me: Me, hold: number): string | undefined {
  const reason = deniedReason(me, placeTestCall);
  if (reason !== undefined) return reason;
  if (me.phone === null) return 'Enter your phone number first.';
  if (me.org.is_suspended) return 'Your organization is suspended.';
  return me.org.available < hold
    ? 'Your credit does not cover the longest call. Shorten the duration, or ask for more credit.'
    : undefined;
}

function useTestCall(assistant_id: string) {
  const { run, isBusy, failure } = useAction();
  const [callId, setCallId] = useState<string>();
  const withIdempotencyKey = useIdempotentAction();
  const place = async (variables: Record<string, string>) => {
    await run(async () => {
      const body = { assistant_id, variables };
      const { call_id } = await withIdempotencyKey((idempotencyKey) =>
        callApi(placeTestCall, { body, idempotencyKey }),
      );
      setCallId(call_id);
    });
    // The call holds credit now, or less was available than the page showed.
    await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  return { place, isBusy, failure, callId };
}

/** The call's status, refreshed while it is live. */
function LiveCall({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(callQuery(id));
  useRefetchCreditAfter(data);
  return (
    <div className={styles.live}>
      <p role="status">
        {data ? (
          <>
            <CallStatusBadge status={data.status} />
            {data.duration !== null && ` ${formatDuration(data.duration)}`}
            {data.cost !== null && ` · ${formatCredits(data.cost)} ${data.cost === 1 ? 'credit' : 'credits'}`}
          </>
        ) : (
          'Placed.'
        )}
      </p>
      {error !== null && <ErrorNotice error={error} onRetry={() => refetch()} />}
      <Link to="/calls/$id" params={{ id }}>
        Open the call
      </Link>
    </div>
  );
}
