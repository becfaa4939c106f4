import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type ConnectionView,
  confirmConsent,
  refuseConsent,
  type ShownConnection,
} from '../../../shared/messages/dashboard/connections.ts';
import { useAction } from '../../app/query/use-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { ConfirmDialog } from '../../components/dialog/confirm-dialog.tsx';
import { Actions } from '../../components/form/form.tsx';
import { Card } from '../../components/layout/card.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { toast } from '../../components/message/toasts.ts';
import { Time } from '../../components/text/time.tsx';
import {
  confirmationTextOf,
  describePendingConsent,
  formatOrganizations,
} from '../../words/connections/pending-consent.ts';
import { refreshConnections, storeConnection } from '../connections/connections-query.ts';
import styles from './connection.module.css';

type Pending = NonNullable<ConnectionView['pending_consent']>;
type Props = { shown: ShownConnection };

/** Shows who consented. No system is connected until the person who began the consent confirms it. */
export function PendingConsent({ shown: { connection, may_confirm } }: Props) {
  const { pending_consent: pending } = connection;
  const me = useMe();
  const [isConfirming, setConfirming] = useState(false);
  const { confirm, refuse } = useDecision(connection);
  const { run, isBusy, failure } = useAction();
  if (!pending) return null;
  const words = describePendingConsent(pending, may_confirm);
  const press = async () => {
    if (pending.instead_of) setConfirming(true);
    else await run(() => confirm(false)).then(refreshConnections);
  };
  return (
    <Card title="Who consented?">
      <div className={styles.consent}>
        {failure !== undefined && <ErrorNotice error={failure} />}
        <div role="status">
          <Notice tone={words.tone} title={words.title}>
            {words.text}
          </Notice>
        </div>
        <ConsentDetails pending={pending} />
        <Actions>
          {may_confirm && (
            <GuardedButton
              variant="primary"
              isBusy={isBusy}
              disabledReason={deniedReason(me, confirmConsent)}
              onClick={press}
            >
              {pending.user ? 'Confirm' : 'Check again'}
            </GuardedButton>
          )}
          <GuardedButton disabledReason={deniedReason(me, refuseConsent)} isBusy={isBusy} onClick={() => run(refuse)}>
            Refuse
          </GuardedButton>
        </Actions>
      </div>
      {isConfirming && (
        <ConfirmDialog
          title="Connect another organization?"
          lead={`${formatOrganizations(pending.organizations)} will be connected instead of ${formatOrganizations(pending.instead_of)}.`}
          action="Connect it"
          confirmationText={confirmationTextOf(pending.organizations)}
          onConfirm={() => confirm(true).then(() => setConfirming(false))}
          onClose={() => setConfirming(false)}
        />
      )}
    </Card>
  );
}

function ConsentDetails({ pending: { organizations, user, begun_by, expires_at } }: { pending: Pending }) {
  return (
    <dl className={styles.facts}>
      <dt>Organization</dt>
      <dd>{formatOrganizations(organizations)}</dd>
      <dt>Person</dt>
      <dd>{user ? `${user.name} (${user.email})` : 'not known yet'}</dd>
      <dt>Begun by</dt>
      <dd>{begun_by}</dd>
      <dt>Expires</dt>
      <dd>
        <Time at={expires_at} />
      </dd>
    </dl>
  );
}

function useDecision({ connection_id: id, pending_consent: pending }: ConnectionView) {
  const navigate = useNavigate();
  const params = { id };
  const consent_id = pending?.id ?? '';
  return {
    /** @param is_other_meant whether the person confirmed that another organization is meant */
    async confirm(is_other_meant: boolean) {
      const organization_id = pending?.organizations?.[0]?.id ?? 'unknown';
      const body = { consent_id, organization_id, is_other_meant };
      const { connection, channel, organization } = await callApi(confirmConsent, { params, body });
      storeConnection(connection);
      await navigate({
        to: '.',
        search: {
          connected: id,
          ...(channel === 'failed' && { channel }),
          ...(organization === 'not_chosen' && { organization }),
        },
        replace: true,
      });
    },
    async refuse() {
      const { connection, is_revoked } = await callApi(refuseConsent, { params, body: { consent_id } });
      storeConnection(connection);
      toast(is_revoked ? 'The consent is refused, and revoked at Zoho.' : 'The consent is refused.');
      await navigate({ to: '.', search: {}, replace: true });
    },
  };
}
