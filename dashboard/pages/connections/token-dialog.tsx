import { useNavigate } from '@tanstack/react-router';
import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { SecretValue } from '../../components/dialog/secret-value.tsx';
import { ShowOnceDialog } from '../../components/dialog/show-once-dialog.tsx';
import styles from './connections.module.css';
import { WebhookAddress } from './webhook-address.tsx';

type Props = { connection: ConnectionView; token: string; onClose: () => void; isNew?: boolean };

/** CRM-A's token, shown once, with everything to paste into LeadSquared. */
export function TokenDialog({ connection, token, onClose, isNew = false }: Props) {
  const navigate = useNavigate();
  const done = async () => {
    onClose();
    if (isNew) await navigate({ to: '/connections/$id', params: { id: connection.connection_id }, search: {} });
  };
  return (
    <ShowOnceDialog
      onClose={done}
      title={isNew ? 'Paste this into LeadSquared' : 'Paste the new token into LeadSquared'}
      lead="The token is shown only now. LeadSquared needs it in both webhooks."
      stored="I have pasted it into both webhooks"
    >
      <WebhookAddress connection={connection} />
      <div className={styles.value}>
        <p>Header value</p>
        <SecretValue value={token} what="token" />
      </div>
    </ShowOnceDialog>
  );
}
