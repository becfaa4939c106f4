import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { Button } from '../../parts/button/button.tsx';
import { AlertInView } from '../../parts/message/alert-in-view.tsx';
import { Notice } from '../../parts/message/notice.tsx';
import { Time } from '../../parts/text/time.tsx';
import { changesInWords } from '../../words/organization/audit.ts';
import styles from './settings.module.css';

type Props = { theirs: ConnectionView; before: ConnectionView; takeTheirs: () => void; keepMine: () => void };

const shown = ({ auto_call, assistant_id, trigger_owner_user_id, settings }: ConnectionView) => ({
  auto_call,
  assistant_id,
  trigger_owner_user_id,
  ...settings,
});

/** Names the other editor and the changes. Typed text is kept. */
export function Conflict({ theirs, before, takeTheirs, keepMine }: Props) {
  const changes = changesInWords({ before: shown(before), after: shown(theirs) }).filter(
    (change) => change.before !== change.after,
  );
  return (
    <AlertInView>
      <Notice
        tone="warn"
        title={`${theirs.updated_by ?? 'Another person'} changed this connection since you opened it.`}
      >
        <p>
          {theirs.updated_at && (
            <>
              <Time at={theirs.updated_at} />.{' '}
            </>
          )}
          Your changes are not saved yet.
        </p>
        <ul className={styles.changes}>
          {changes.map(({ what, before: old, after }) => (
            <li key={what}>
              {what}: {old || 'not set'} → {after || 'not set'}
            </li>
          ))}
        </ul>
        <div className={styles.actions}>
          <Button look="primary" onClick={keepMine}>
            Reapply my changes
          </Button>
          <Button onClick={takeTheirs}>Discard my changes</Button>
        </div>
      </Notice>
    </AlertInView>
  );
}
