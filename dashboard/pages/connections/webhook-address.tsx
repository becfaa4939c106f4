import type { ReactNode } from 'react';
import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { CopyButton } from '../../components/button/copy-button.tsx';
import styles from './connections.module.css';

/** `children`: the header's value, as `dt` and `dd`. */
type Props = { connection: ConnectionView; children?: ReactNode };

const HEADER = 'X-CRMA-Webhook-Token';

/** Where to register the webhooks in LeadSquared, and with which values. */
export const WebhookAddress = ({ connection: { webhook_url }, children }: Props) => (
  <>
    <ol className={styles.steps}>
      <li>In LeadSquared, open Settings › API and Webhooks › Webhooks.</li>
      <li>
        Register two webhooks with these values: one for the event <strong>Lead created</strong>, one for{' '}
        <strong>Lead owner changed</strong>.
      </li>
    </ol>
    <dl className={styles.values}>
      <dt>URL</dt>
      <dd>
        <code>{webhook_url}</code> <CopyButton text={webhook_url ?? ''} what="URL" />
      </dd>
      <dt>Method and content type</dt>
      <dd>
        <span>
          <code>POST</code>, <code>application/json</code>
        </span>
      </dd>
      <dt>Custom header</dt>
      <dd>
        <code>{HEADER}</code> <CopyButton text={HEADER} what="header name" />
      </dd>
      {children}
    </dl>
  </>
);
