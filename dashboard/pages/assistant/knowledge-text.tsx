import { useQuery } from '@tanstack/react-query';
import { type KnowledgeView, showKnowledge } from '../../../shared/messages/dashboard/assistants.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { Button } from '../../components/button/button.tsx';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { Actions } from '../../components/form/form.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import styles from './assistant.module.css';

type Props = { id: string; entry: KnowledgeView; onClose: () => void };

/** The text read from a file, as far as a call can use it. */
export function KnowledgeText({ id, entry, onClose }: Props) {
  const shown = useQuery({
    queryKey: ['knowledge', id, entry.id],
    queryFn: ({ signal }) => callApi(showKnowledge, { params: { id, entryId: entry.id }, signal }),
  });
  return (
    <Dialog isOpen onClose={onClose} title={entry.filename} lead="The text that was read from the file.">
      {shown.isPending && <Skeleton label="Loading the text" />}
      {shown.isError && <ErrorNotice error={shown.error} onRetry={() => shown.refetch()} />}
      {shown.data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long text must scroll by keyboard.
        <section className={styles.text} aria-label="Text of the file" tabIndex={0}>
          {shown.data.text}
        </section>
      )}
      {shown.data?.is_cut && <p className={styles.muted}>The rest of the file is stored, but calls do not use it.</p>}
      <Actions>
        <Button data-back onClick={onClose}>
          Close
        </Button>
      </Actions>
    </Dialog>
  );
}
