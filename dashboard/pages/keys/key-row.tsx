import { type KeyView, revokeKey } from '../../../shared/messages/dashboard/keys.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { tableStyles } from '../../components/list/table.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { Time } from '../../components/text/time.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import styles from './keys.module.css';

/** Shows the last use; a recent one without its exact time, which would soon be outdated. */
const LastUse = ({ at }: { at: string }) =>
  Date.now() - Date.parse(at) < 3_600_000 ? <>within the last hour</> : <Time at={at} />;

type Props = { apiKey: KeyView; onRevoke: () => void };

export function KeyRow({ apiKey, onRevoke }: Props) {
  const me = useMe();
  return (
    <tr>
      <td>
        <div className={styles.name}>{apiKey.name}</div>
        <code className={styles.id}>{apiKey.key_id}</code>
      </td>
      <td data-label="Permissions">
        <span className={styles.badges}>
          {apiKey.permissions.map((permission) => (
            <Badge key={permission}>{permission}</Badge>
          ))}
        </span>
      </td>
      <td data-label="Created">
        <Time at={apiKey.created_at} isDay />
        {apiKey.created_by !== null && <div className={styles.id}>{apiKey.created_by}</div>}
      </td>
      <td data-label="Last used">{apiKey.last_used_at === null ? '–' : <LastUse at={apiKey.last_used_at} />}</td>
      <td data-label="State">
        {apiKey.revoked_at === null ? (
          <Badge tone="good">Valid</Badge>
        ) : (
          <>
            <Badge tone="bad">Revoked</Badge> <Time at={apiKey.revoked_at} isDay />
          </>
        )}
      </td>
      <td className={tableStyles.end}>
        {apiKey.revoked_at === null && (
          <GuardedButton disabledReason={deniedReason(me, revokeKey)} onClick={onRevoke}>
            <span>
              Revoke<VisuallyHidden> {apiKey.name}</VisuallyHidden>…
            </span>
          </GuardedButton>
        )}
      </td>
    </tr>
  );
}
