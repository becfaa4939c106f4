import { useInfiniteQuery } from '@tanstack/react-query';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import { createAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Page } from '../../components/layout/page.tsx';
import { PagedList } from '../../components/list/paged-list.tsx';
import { Table, WIDE_PX } from '../../components/list/table.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { examples } from '../../words/assistants/assistant-examples.ts';
import { AssistantRow } from './assistant-row.tsx';
import styles from './assistants.module.css';
import { assistantsQuery } from './assistants-query.ts';
import { CreateAssistantDialog } from './create-assistant-dialog.tsx';

export const prefetch = () => queryClient.prefetchInfiniteQuery(assistantsQuery);

/** The assistants, who conduct the calls. */
export function Assistants() {
  const me = useMe();
  /** The id of the preselected example. */
  const [example, setExample] = useState<string>();
  return (
    <Page
      title="Assistants"
      lead="Each assistant conducts calls with its own script, voice and knowledge."
      actions={
        <GuardedButton
          variant="primary"
          disabledReason={deniedReason(me, createAssistant)}
          onClick={() => setExample(examples[0]?.id ?? '')}
        >
          <Plus aria-hidden="true" />
          New assistant
        </GuardedButton>
      }
    >
      <List onBegin={setExample} />
      {example !== undefined && <CreateAssistantDialog first={example} onClose={() => setExample(undefined)} />}
    </Page>
  );
}

function List({ onBegin }: { onBegin: (example: string) => void }) {
  const list = useInfiniteQuery(assistantsQuery);
  return (
    <PagedList list={list} noun="the assistants">
      {(assistants, isPlaceholderData) => (
        <>
          {assistants.length === 0 ? (
            <NoAssistant onBegin={onBegin} />
          ) : (
            <Table
              caption="Assistants, the oldest first"
              columns={['Name', 'First message', 'Language', 'Longest call', 'Knowledge', 'Changed']}
              cardsBelow={WIDE_PX}
              isPlaceholderData={isPlaceholderData}
            >
              {assistants.map((assistant) => (
                <AssistantRow key={assistant.assistant_id} assistant={assistant} />
              ))}
            </Table>
          )}
        </>
      )}
    </PagedList>
  );
}

function NoAssistant({ onBegin }: { onBegin: (example: string) => void }) {
  const reason = deniedReason(useMe(), createAssistant);
  return (
    <>
      <EmptyState icon={Bot} title="An assistant is a script and a voice">
        It says its first message, then follows its prompt. Start with an example and adapt it.
      </EmptyState>
      <ul className={styles.examples}>
        {examples.map(({ id, title, about }) => (
          <li key={id} className={styles.example}>
            <h3>{title}</h3>
            <p>{about}</p>
            <GuardedButton disabledReason={reason} onClick={() => onBegin(id)} aria-label={`Start with this: ${title}`}>
              Start with this
            </GuardedButton>
          </li>
        ))}
      </ul>
    </>
  );
}
