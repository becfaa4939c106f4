import { useInfiniteQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { createKey, type KeyView } from '../../../shared/messages/dashboard/keys.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Page } from '../../components/layout/page.tsx';
import { PagedList } from '../../components/list/paged-list.tsx';
import { Table, WIDE_PX } from '../../components/list/table.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { CurlCommand } from './curl-command.tsx';
import { KeyRow } from './key-row.tsx';
import { keysQuery } from './keys-query.ts';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';

type Open = 'create' | KeyView | undefined;

/** The keys of the REST API. */
export function Keys() {
  const me = useMe();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const create = (
    <GuardedButton variant="primary" disabledReason={deniedReason(me, createKey)} onClick={() => setOpen('create')}>
      <KeyRound aria-hidden="true" />
      Create a key
    </GuardedButton>
  );
  return (
    <Page title="API keys" lead="Programs use them to place and read calls through the REST API." actions={create}>
      <List onRevoke={setOpen} />
      {open === 'create' && <CreateKeyDialog onClose={close} />}
      {typeof open === 'object' && <RevokeKeyDialog apiKey={open} onClose={close} />}
    </Page>
  );
}

function List({ onRevoke }: { onRevoke: (key: KeyView) => void }) {
  const list = useInfiniteQuery(keysQuery);
  return (
    <PagedList list={list} noun="the keys">
      {(keys, isPlaceholderData) => (
        <>
          {keys.length === 0 ? (
            <EmptyState icon={KeyRound} title="No key yet">
              <p>An admin creates one. With it, a program places its first call like this:</p>
              <CurlCommand apiKey="KEY" permissions={['calls:write']} />
            </EmptyState>
          ) : (
            <Table
              caption="API keys, the newest first"
              columns={['Name', 'Permissions', 'Created', 'Last used', 'State', '']}
              cardsBelow={WIDE_PX}
              isPlaceholderData={isPlaceholderData}
            >
              {keys.map((key) => (
                <KeyRow key={key.key_id} apiKey={key} onRevoke={() => onRevoke(key)} />
              ))}
            </Table>
          )}
        </>
      )}
    </PagedList>
  );
}
