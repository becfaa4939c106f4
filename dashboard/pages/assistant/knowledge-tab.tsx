import { BookOpen } from 'lucide-react';
import { useState } from 'react';
import {
  addKnowledge,
  type KnowledgeView,
  type ShownAssistant,
} from '../../../shared/messages/dashboard/assistants.ts';
import { ApiError, isTransient } from '../../app/api/api-error.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { PlainField } from '../../components/form/field.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Time } from '../../components/text/time.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { describeUploader } from '../../words/assistants/assistants.ts';
import styles from './assistant.module.css';
import { KnowledgeText } from './knowledge-text.tsx';
import { RemoveKnowledgeDialog } from './remove-knowledge-dialog.tsx';
import { useUploads } from './use-uploads.ts';

/** The API's message describes best what is wrong inside a file. */
const whyRefused = (failure: unknown): string =>
  failure instanceof ApiError && failure.code === 'unreadable_file' ? failure.message : '';

type Open = { action: 'read' | 'remove'; entry: KnowledgeView } | undefined;

/** The assistant's files. They are saved at once, independently of the other tabs' text. */
export function KnowledgeTab({ assistant }: { assistant: ShownAssistant }) {
  const reason = deniedReason(useMe(), addKnowledge);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { uploads, add, dismiss } = useUploads(assistant.assistant_id);
  return (
    <>
      <PlainField
        label="Add files"
        type="file"
        multiple
        accept=".txt,.md,.pdf,.docx"
        disabled={reason !== undefined}
        hint={reason ?? 'Texts (.txt, .md), PDF and Word files (.docx), each up to 4 MB. The next call can use them.'}
        onChange={({ target }) => {
          add([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <ul className={styles.files} aria-live="polite">
        {uploads.map(({ id, file, share, failure }) => (
          <li key={id}>
            {failure === undefined ? (
              <>
                <span className={styles.filename}>{file.name}</span>
                <progress value={share} max={1} aria-label={`Upload of ${file.name}`} />
                <span className={styles.muted}>{share < 1 ? 'Sending …' : 'Reading …'}</span>
              </>
            ) : (
              <ErrorNotice error={failure}>
                <p>
                  {file.name} was not added. {whyRefused(failure)}
                </p>
                <p>
                  {isTransient(failure) && <Button onClick={() => add([file])}>Try again</Button>}{' '}
                  <Button onClick={() => dismiss(id)}>Dismiss</Button>
                </p>
              </ErrorNotice>
            )}
          </li>
        ))}
      </ul>
      {assistant.knowledge_base.length === 0 ? (
        <EmptyState icon={BookOpen} title="The assistant knows only its prompt">
          Add price lists, opening hours or answers to common questions. The assistant looks them up while it talks.
        </EmptyState>
      ) : (
        <ul className={styles.files}>
          {assistant.knowledge_base.map((entry) => (
            <li key={entry.id}>
              <div className={styles.filename}>
                {entry.filename} <Time at={entry.uploaded_at} isDay />
                {entry.uploaded_by && <span className={styles.muted}> {describeUploader(entry.uploaded_by)}</span>}
                <p className={styles.muted}>{entry.preview}</p>
              </div>
              <Button onClick={() => setOpen({ action: 'read', entry })}>
                Read <VisuallyHidden>{entry.filename}</VisuallyHidden>
              </Button>
              <GuardedButton disabledReason={reason} onClick={() => setOpen({ action: 'remove', entry })}>
                <span>
                  Remove<VisuallyHidden> {entry.filename}</VisuallyHidden>…
                </span>
              </GuardedButton>
            </li>
          ))}
        </ul>
      )}
      {open?.action === 'read' && <KnowledgeText id={assistant.assistant_id} entry={open.entry} onClose={close} />}
      {open?.action === 'remove' && (
        <RemoveKnowledgeDialog id={assistant.assistant_id} entry={open.entry} onClose={close} />
      )}
    </>
  );
}
