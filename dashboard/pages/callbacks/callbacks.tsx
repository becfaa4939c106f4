import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { revealCallbackSecret, rotateCallbackSecret } from '../../../shared/messages/dashboard/organization.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { CopyButton } from '../../components/button/copy-button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Card } from '../../components/layout/card.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { Time } from '../../components/text/time.tsx';
import { verificationSample } from '../../words/calls/callbacks.ts';
import { CurlCommand } from '../keys/curl-command.tsx';
import keyStyles from '../keys/keys.module.css';
import { organizationQuery } from '../organization/organization-query.ts';
import styles from './callbacks.module.css';
import { FailedCallbacks, failedCallbacks } from './failed-callbacks.tsx';
import { SecretDialog } from './secret-dialog.tsx';

export const prefetch = () =>
  Promise.all([queryClient.prefetchQuery(organizationQuery), queryClient.prefetchInfiniteQuery(failedCallbacks)]);

/** The settings of callbacks to the organization's systems, and their signing secret. */
export function Callbacks() {
  const me = useMe();
  const { data: org, error, refetch } = useQuery(organizationQuery);
  const [open, setOpen] = useState<'reveal' | 'rotate'>();
  const secret = org?.callback_secret;
  return (
    <Page title="Callbacks" lead="The service notifies your systems about each call at its callback_url.">
      <Card
        title="Signing secret"
        lead="The service signs every callback with it, so that you can verify the sender."
        action={
          <span className={styles.actions}>
            <GuardedButton disabledReason={deniedReason(me, revealCallbackSecret)} onClick={() => setOpen('reveal')}>
              Reveal…
            </GuardedButton>
            <GuardedButton disabledReason={deniedReason(me, rotateCallbackSecret)} onClick={() => setOpen('rotate')}>
              Replace…
            </GuardedButton>
          </span>
        }
      >
        {org === undefined &&
          (error ? <ErrorNotice error={error} onRetry={() => refetch()} /> : <Skeleton label="Loading" />)}
        {secret && (
          <p>
            {secret.hint === null ? (
              'You have no secret yet. Replace it to create one.'
            ) : (
              <code>whsec_…{secret.hint}</code>
            )}
            {secret.former_until !== null && (
              <>
                {' '}
                Callbacks are also signed with the previous secret until <Time at={secret.former_until} />.
              </>
            )}
          </p>
        )}
      </Card>
      <Card
        title="Receive callbacks"
        lead="Name your address in callback_url when you place a call. The service posts each event of the call to it."
      >
        <div className={keyStyles.try}>
          <CurlCommand apiKey="KEY" permissions={['calls:write']} callbackUrl="https://your-server.example/calls" />
          <p>
            KEY is the value of an <Link to="/developers/keys">API key</Link>. Answer with a 2xx status within a few
            seconds; otherwise, the service retries for a day.
          </p>
        </div>
      </Card>
      <Card
        title="Verify a callback"
        lead="In Node.js, with the raw body. Any Standard Webhooks library does the same."
      >
        <pre className={styles.code}>
          <code>{verificationSample}</code>
        </pre>
        <CopyButton text={verificationSample} what="the sample" />
      </Card>
      <FailedCallbacks />
      {open && <SecretDialog mode={open} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}
