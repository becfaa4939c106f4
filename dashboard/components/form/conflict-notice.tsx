import type { DescribedChange } from '../../words/organization/changes.ts';
import { Button } from '../button/button.tsx';
import { AlertInView } from '../message/alert-in-view.tsx';
import { Notice } from '../message/notice.tsx';
import { Time } from '../text/time.tsx';
import styles from './conflict-notice.module.css';
import { Actions } from './form.tsx';

type Props = {
  thing: 'connection' | 'organization';
  theirs: { updated_at: string | null; updated_by: string | null };
  /** The changes since the person opened the form. */
  changes: readonly DescribedChange[];
  onTakeTheirs: () => void;
  onKeepMine: () => void;
};

/** Names the other editor and the changes. Typed text is kept. */
export const ConflictNotice = ({ thing, theirs, changes, onTakeTheirs, onKeepMine }: Props) => (
  <AlertInView>
    <Notice tone="warn" title={`${theirs.updated_by ?? 'Another person'} changed this ${thing} since you opened it.`}>
      <p>
        {theirs.updated_at && (
          <>
            <Time at={theirs.updated_at} />.{' '}
          </>
        )}
        Your changes are not saved yet.
      </p>
      <ul className={styles.changes}>
        {changes
          .filter(({ before, after }) => before !== after)
          .map(({ what, before, after }) => (
            <li key={what}>
              {what}: <bdi>{before || 'not set'}</bdi> → <bdi>{after || 'not set'}</bdi>
            </li>
          ))}
      </ul>
      <Actions>
        <Button variant="primary" onClick={onKeepMine}>
          Reapply my changes
        </Button>
        <Button onClick={onTakeTheirs}>Discard my changes</Button>
      </Actions>
    </Notice>
  </AlertInView>
);
