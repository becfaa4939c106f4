import { memo } from 'react';
import type { AuditEntryView } from '../../../shared/messages/dashboard/people.ts';
import { tableStyles } from '../../components/list/table.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { Time } from '../../components/text/time.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { nameIn } from '../../words/newer.ts';
import { auditVerbs, formatAuditObject } from '../../words/organization/audit.ts';
import { describeChanges } from '../../words/organization/changes.ts';
import styles from './audit.module.css';

type Props = { entry: AuditEntryView; onThing: (id: string) => void };

/** One change as a sentence, with its values. */
export const AuditRow = memo(function ListedChange({ entry, onThing }: Props) {
  const { actor, thing } = entry;
  const changes = describeChanges(entry);
  return (
    <tr>
      <td>
        <Time at={entry.at} />
      </td>
      <td>
        <strong>{actor.name}</strong> {actor.kind !== 'member' && <Badge>{actor.kind}</Badge>}{' '}
        {nameIn(auditVerbs, entry.action)}{' '}
        <button type="button" className={styles.thing} onClick={() => onThing(thing.id)}>
          {formatAuditObject(thing.name)}
          <VisuallyHidden>: show all its changes</VisuallyHidden>
        </button>
      </td>
      <td className={tableStyles.wide}>
        <dl className={styles.changes}>
          {changes.map(({ what, before, after }) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>
                {before && (
                  <>
                    <VisuallyHidden>before: </VisuallyHidden>
                    <bdi className={styles.before}>{before}</bdi>
                  </>
                )}
                {before && after && <span aria-hidden="true"> → </span>}
                {after && (
                  <>
                    {before && <VisuallyHidden>, after: </VisuallyHidden>}
                    <bdi>{after}</bdi>
                  </>
                )}
              </dd>
            </div>
          ))}
        </dl>
      </td>
    </tr>
  );
});
