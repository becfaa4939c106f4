import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Copy as CopyIcon, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { connectionNames } from '../../../shared/domain/connections/connection-words.ts';
import {
  createAssistant,
  deleteAssistant,
  type ShownAssistant,
} from '../../../shared/messages/dashboard/assistants.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { errorToShow } from '../../app/query/stale-data.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import type { LinkTarget } from '../../app/url/page-route.ts';
import { CopyButton } from '../../components/button/copy-button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { LoadingOrErrorPage } from '../../components/message/loading-or-error-page.tsx';
import { Time } from '../../components/text/time.tsx';
import { nameIn } from '../../words/newer.ts';
import styles from './assistant.module.css';
import { assistantQuery } from './assistant-query.ts';
import { CallMe } from './call-me.tsx';
import { DeleteAssistantDialog } from './delete-assistant-dialog.tsx';
import { Editor } from './editor.tsx';
import { useDuplicate } from './use-duplicate.ts';

export const prefetch = ({ params: { id = '' } }: LinkTarget) => queryClient.prefetchQuery(assistantQuery(id));

/** One assistant: script, voice, knowledge, analysis and a test call. */
export function AssistantPage() {
  const { id } = useParams({ from: '/shell/assistants/$id' });
  const shown = useQuery(assistantQuery(id));
  // Each assistant has its own editor, because typed text belongs to one of them.
  if (shown.data)
    return (
      <AssistantDetails key={id} assistant={shown.data} error={errorToShow(shown)} onRetry={() => shown.refetch()} />
    );
  return (
    <LoadingOrErrorPage noun="assistant" notFoundCode="assistant_not_found" query={shown}>
      <Link to="/assistants">All assistants</Link>
    </LoadingOrErrorPage>
  );
}

type Props = { assistant: ShownAssistant; error: unknown; onRetry: () => void };

function AssistantDetails({ assistant, error, onRetry }: Props) {
  const me = useMe();
  const [isDeleting, setDeleting] = useState(false);
  const [isDirty, setDirty] = useState(false);
  const { duplicate, ...duplication } = useDuplicate(assistant);
  return (
    <Page
      title={assistant.name}
      lead={<LastSaved assistant={assistant} />}
      actions={
        <>
          <GuardedButton
            disabledReason={deniedReason(me, createAssistant)}
            isBusy={duplication.isBusy}
            onClick={duplicate}
          >
            <CopyIcon aria-hidden="true" />
            Duplicate
          </GuardedButton>
          <GuardedButton disabledReason={whyNotDelete(me, assistant)} onClick={() => setDeleting(true)}>
            <Trash2 aria-hidden="true" />
            Delete…
          </GuardedButton>
        </>
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={onRetry} />}
      {duplication.failure !== undefined && <ErrorNotice error={duplication.failure} />}
      <div className={styles.columns}>
        <Editor assistant={assistant} onDirty={setDirty} />
        <CallMe assistant={assistant} isDirty={isDirty} />
      </div>
      {isDeleting && <DeleteAssistantDialog assistant={assistant} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

/** Refuses to delete an assistant that a connection uses. */
function whyNotDelete(me: Parameters<typeof deniedReason>[0], { connections }: ShownAssistant): string | undefined {
  const reason = deniedReason(me, deleteAssistant);
  if (reason !== undefined || connections.length === 0) return reason;
  const names = connections.map(({ type }) => nameIn(connectionNames, type)).join(' and ');
  return `This assistant calls the leads of ${names}. Choose another one there first.`;
}

const LastSaved = ({ assistant }: { assistant: ShownAssistant }) => {
  const { assistant_id, updated_at, updated_by, created_at, connections } = assistant;
  return (
    <>
      Saved <Time at={updated_at ?? created_at} />
      {updated_by && ` by ${updated_by}`}
      {connections.length > 0 &&
        ` · calls the leads of ${connections.map(({ type }) => nameIn(connectionNames, type)).join(', ')}`}
      {' · id '}
      <code>{assistant_id}</code> <CopyButton text={assistant_id} what="id of the assistant" />
    </>
  );
};
