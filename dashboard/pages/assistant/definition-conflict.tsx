import { Button } from '../../components/button/button.tsx';
import { Actions } from '../../components/form/form.tsx';
import { AlertInView } from '../../components/message/alert-in-view.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { Time } from '../../components/text/time.tsx';
import { isDefinitionMember, memberNames } from '../../words/assistants/assistants.ts';
import { formatEditedMember } from '../../words/assistants/edited-member.ts';
import styles from './assistant.module.css';
import type { EditConflict } from './use-definition.ts';

type Props = { conflict: EditConflict; onOverwrite: () => void; onReload: () => void; isBusy: boolean };

/**
 * Shows who changed which member while the person was editing, beside the person's own text. Nothing is overwritten
 * without confirmation.
 */
export function DefinitionConflict({
  conflict: { theirs, changed, mine, base },
  onOverwrite,
  onReload,
  isBusy,
}: Props) {
  const names = changed.map(({ path }) => path).filter(isDefinitionMember);
  const lost = names.filter((name) => name in mine);
  return (
    <AlertInView>
      <Notice
        tone="warn"
        title={
          <>
            {theirs.updated_by ?? 'Another person'} saved this assistant on{' '}
            <Time at={theirs.updated_at ?? theirs.created_at} />.
          </>
        }
      >
        <p>Your changes are not saved yet. These parts have changed since:</p>
        <dl className={styles.changes}>
          {names.map((name) => (
            <div key={name}>
              <dt>
                {memberNames[name]} <span className={styles.muted}>{by(changed, name)}</span>
              </dt>
              <dd>{formatEditedMember(name, theirs[name], name in mine ? mine[name] : base[name])}</dd>
              {name in mine && (
                <dd>
                  <strong>Yours:</strong> {formatEditedMember(name, mine[name], theirs[name])}
                </dd>
              )}
            </div>
          ))}
        </dl>
        <Actions>
          <Button variant="primary" onClick={onReload}>
            Reload and discard mine
          </Button>
          <Button variant="danger" isBusy={isBusy} onClick={onOverwrite}>
            {lost.length > 0 ? 'Overwrite with mine' : 'Save mine as well'}
          </Button>
        </Actions>
      </Notice>
    </AlertInView>
  );
}

const by = (changed: EditConflict['changed'], name: string): string =>
  changed.find(({ path }) => path === name)?.message ?? '';
