import { useEffect } from 'react';
import * as z from 'zod/mini';
import {
  type ConnectionView,
  type ShownConnection,
  sendTestEvent,
} from '../../../shared/messages/dashboard/connections.ts';
import { call } from '../../app/browser-session.ts';
import { useDeed } from '../../app/deed.ts';
import { useMe } from '../../app/me.ts';
import { refusal } from '../../app/rights.ts';
import { Badge } from '../../parts/badge.tsx';
import { CallLink } from '../../parts/call-link.tsx';
import { Card } from '../../parts/card.tsx';
import { TextField } from '../../parts/field.tsx';
import { Actions, Fields, Form } from '../../parts/form.tsx';
import { useApiForm } from '../../parts/form-state.ts';
import { GuardedButton } from '../../parts/guarded-button.tsx';
import { outcomeWords } from '../../words/outcomes.ts';
import styles from './connection.module.css';

type Props = {
  connection: ConnectionView;
  awaited: string | undefined;
  event: ShownConnection['event'];
  onSent: (eventId: string) => void;
};

const schema = z.object({
  phone: sendTestEvent.request.shape.phone,
  first_name: z.string().check(z.maxLength(200)),
});

/** Sends a lead of one's own through everything that a real lead passes, and shows what becomes of it. */
export function TestEvent({ connection, awaited, event, onSent }: Props) {
  const me = useMe();
  const reason = refusal(me, sendTestEvent);
  const inOneDeed = useDeed();
  const state = useApiForm(schema, { phone: me.phone ?? '', first_name: '' }, async ({ phone, first_name }) => {
    const name = first_name.trim();
    const params = { id: connection.connection_id };
    const body = { phone, ...(name !== '' && { first_name: name }) };
    const { event_id } = await inOneDeed((idempotencyKey) => call(sendTestEvent, { params, body, idempotencyKey }));
    onSent(event_id);
  });
  // Where the answer about a lead leads to.
  useEffect(() => {
    if (location.hash === '#test-event') state.form.setFocus('phone');
  }, [state.form.setFocus]);
  const outcome = event && event.event_id === awaited ? event : undefined;
  return (
    <Card
      title="Send a test event"
      lead="A real call to this number, which costs credit and may become a ticket. Nothing is written to the CRM."
    >
      <Form state={state}>
        <Fields disabled={reason !== undefined}>
          <TextField
            name="phone"
            label="Phone"
            type="tel"
            autoComplete="tel"
            hint="As the CRM would store it. A number is called once a day."
          />
          <TextField name="first_name" label="First name" autoComplete="off" hint="For the assistant to greet." />
        </Fields>
        <Actions>
          <GuardedButton type="submit" reason={reason} isBusy={state.form.formState.isSubmitting}>
            Send test event
          </GuardedButton>
        </Actions>
      </Form>
      <div role="status" className={styles.outcome}>
        {awaited && !outcome && (
          <p className={styles.waiting}>
            <span className={styles.pulse} aria-hidden="true" /> Sent. Waiting for its outcome …
          </p>
        )}
        {outcome && (
          <>
            <p>
              <Badge tone={outcomeWords[outcome.outcome].tone}>{outcomeWords[outcome.outcome].name}</Badge>
            </p>
            <p>{outcome.reason}</p>
            {outcome.call_id && (
              <p>
                <CallLink callId={outcome.call_id} />
              </p>
            )}
          </>
        )}
      </div>
    </Card>
  );
}
