import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { MAX_SEARCH_CHARACTERS } from '../../../shared/messages/dashboard/leads.ts';
import { Button } from '../../components/button/button.tsx';
import { PlainField } from '../../components/form/field.tsx';
import { Actions } from '../../components/form/form.tsx';
import { Card } from '../../components/layout/card.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { ExplanationView } from './explanation.tsx';
import styles from './leads.module.css';
import { explanationOf } from './leads-query.ts';

type Props = { asked: string | undefined; onAsk: (question: string | undefined) => void };

/** The search for why a lead was not called. */
export function Question({ asked, onAsk }: Props) {
  const [text, setText] = useState(asked ?? '');
  useEffect(() => setText(asked ?? ''), [asked]);
  const answer = useQuery({ ...explanationOf(asked ?? ''), enabled: asked !== undefined });
  const question = text.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (question === asked) answer.refetch();
    else if (question !== '') onAsk(question);
  };
  return (
    <Card title="Why was this lead not called?">
      <search>
        <form className={styles.question} onSubmit={submit}>
          <PlainField
            label="Phone number or lead id"
            hint="A number in any usual form, or the id that the CRM gives the lead. A search changes nothing."
            type="search"
            value={text}
            maxLength={MAX_SEARCH_CHARACTERS}
            onChange={(event) => setText(event.target.value)}
          />
          <Actions>
            <Button type="submit" variant="primary" isBusy={answer.isFetching && question === asked}>
              Ask
            </Button>
            {asked !== undefined && <Button onClick={() => onAsk(undefined)}>Clear the answer</Button>}
          </Actions>
        </form>
      </search>
      <div aria-live="polite" className={styles.answer}>
        {asked !== undefined && answer.isPending && <Skeleton lines={4} label="Looking for the lead" />}
        {answer.isError && <ErrorNotice error={answer.error} onRetry={() => answer.refetch()} />}
        {asked !== undefined && answer.data && <ExplanationView explained={answer.data} />}
      </div>
    </Card>
  );
}
