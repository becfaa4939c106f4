import { Ellipsis, KeyRound, RefreshCw, Unplug } from 'lucide-react';
import { useState } from 'react';
import { connectionNames } from '../../../shared/domain/connections/connection-words.ts';
import {
  beginConsent,
  type ConnectionView,
  disconnectConnection,
  replaceToken,
} from '../../../shared/messages/dashboard/connections.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Menu, MenuItem } from '../../components/button/menu.tsx';
import { ConfirmDialog } from '../../components/dialog/confirm-dialog.tsx';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { toast } from '../../components/message/toasts.ts';
import { disconnectWords } from '../../words/connections/connections.ts';
import { refreshConnections } from '../connections/connections-query.ts';
import { TokenDialog } from '../connections/token-dialog.tsx';
import { Consent } from './consent.tsx';

type Open = 'token' | 'consent' | 'disconnect' | { token: string } | undefined;

/** Replaces the token or channel, renews the consent, or disconnects. */
export function Manage({ connection }: { connection: ConnectionView }) {
  const me = useMe();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { type, is_connected, next_step } = connection;
  const isCrmA = type === 'crm-a';
  const menu = (
    <Menu
      trigger={
        <Button aria-label={`More for ${connectionNames[type]}`} isIcon>
          <Ellipsis aria-hidden="true" />
        </Button>
      }
    >
      {type !== 'help-desk' && (isCrmA || is_connected) && (
        <MenuItem icon={KeyRound} disabledReason={deniedReason(me, replaceToken)} onClick={() => setOpen('token')}>
          {isCrmA ? 'New token…' : 'New watch channel…'}
        </MenuItem>
      )}
      {!isCrmA && is_connected && (
        <MenuItem icon={RefreshCw} disabledReason={deniedReason(me, beginConsent)} onClick={() => setOpen('consent')}>
          New consent…
        </MenuItem>
      )}
      {is_connected && (
        <MenuItem
          icon={Unplug}
          isDangerous
          disabledReason={deniedReason(me, disconnectConnection)}
          onClick={() => setOpen('disconnect')}
        >
          Disconnect…
        </MenuItem>
      )}
    </Menu>
  );
  return (
    <>
      {isCrmA && next_step === 'token' && (
        <GuardedButton
          variant="primary"
          disabledReason={deniedReason(me, replaceToken)}
          onClick={() => setOpen('token')}
        >
          Connect again
        </GuardedButton>
      )}
      {(isCrmA || is_connected) && menu}
      {open === 'token' && <NewToken connection={connection} onOpenChange={setOpen} />}
      {typeof open === 'object' && <TokenDialog connection={connection} token={open.token} onClose={close} />}
      {open === 'consent' && type !== 'crm-a' && (
        <Dialog
          isOpen
          onClose={close}
          title="Give a new consent"
          lead="It replaces the current consent without an interruption."
        >
          <Consent connection={connection} type={type} />
        </Dialog>
      )}
      {open === 'disconnect' && <Disconnect connection={connection} onClose={close} />}
    </>
  );
}

function NewToken({ connection, onOpenChange }: { connection: ConnectionView; onOpenChange: (open: Open) => void }) {
  const isCrmA = connection.type === 'crm-a';
  const replace = async () => {
    const { token } = await callApi(replaceToken, { params: { id: connection.connection_id } });
    if (token === null) toast('A new watch channel is set up. The old one is refused.');
    onOpenChange(token === null ? undefined : { token });
    await refreshConnections();
  };
  return (
    <ConfirmDialog
      title={isCrmA ? 'Create a new token?' : 'Set up a new watch channel?'}
      lead={
        isCrmA
          ? 'The old token stops working at once. Leads are refused until both LeadSquared webhooks have the new one.'
          : 'The new channel gets a new token, and the old one is stopped. The service catches up on leads that change in the meantime.'
      }
      action={isCrmA ? 'Create the token' : 'Set up the channel'}
      variant="primary"
      onConfirm={replace}
      onClose={() => onOpenChange(undefined)}
    />
  );
}

const consequences = {
  'crm-a':
    'Its token stops working at once: deliveries are refused, and its leads are no longer called. Waiting calls are canceled.',
  'crm-b':
    'Its watch channel is stopped and its access is revoked at Zoho. Its leads are no longer called, and waiting calls are canceled.',
  'help-desk': 'Its access is revoked at Zoho. Calls get no tickets until it is connected again.',
};

function Disconnect({ connection, onClose }: { connection: ConnectionView; onClose: () => void }) {
  const disconnect = async () => {
    const { provider } = await callApi(disconnectConnection, { params: { id: connection.connection_id } });
    const rest = provider ? [disconnectWords.channel[provider.channel], disconnectWords.grant[provider.grant]] : [];
    toast(['Disconnected.', ...rest].filter(Boolean).join(' '));
    onClose();
    await refreshConnections();
  };
  return (
    <ConfirmDialog
      title={`Disconnect ${connectionNames[connection.type]}?`}
      lead={`${consequences[connection.type]} Settings and history are kept, and you can connect it again.`}
      action="Disconnect"
      onConfirm={disconnect}
      onClose={onClose}
    />
  );
}
