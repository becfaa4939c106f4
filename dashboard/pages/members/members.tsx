import { useInfiniteQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { inviteMember, listMembers, type MemberView } from '../../../shared/messages/dashboard/people.ts';
import { adminsToAsk, deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Page } from '../../components/layout/page.tsx';
import { PagedList } from '../../components/list/paged-list.tsx';
import { Table } from '../../components/list/table.tsx';
import { EmptyState } from '../../components/message/empty-state.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberRow } from './member-row.tsx';
import { membersQuery } from './members-query.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { RoleComparison } from './role-comparison.tsx';
import { RoleDialog } from './role-dialog.tsx';

type Open = { dialog: 'invite' } | { dialog: 'role' | 'remove' | 'again'; member: MemberView } | undefined;

/** The members and their roles. */
export function Members() {
  const me = useMe();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const reason = deniedReason(me, inviteMember);
  const invite = (
    <GuardedButton variant="primary" disabledReason={reason} onClick={() => setOpen({ dialog: 'invite' })}>
      <UserPlus aria-hidden="true" />
      Invite a person
    </GuardedButton>
  );
  return (
    <Page title="Members" lead={`The people with access to ${me.org.name}.`} actions={invite}>
      {deniedReason(me, listMembers) === undefined ? (
        <List onOpen={setOpen} />
      ) : (
        <Notice tone="info" title="Only admins and owners see the members.">
          <p>{adminsToAsk(me)}</p>
        </Notice>
      )}
      <RoleComparison />
      {open?.dialog === 'invite' && <InviteDialog onClose={close} />}
      {open?.dialog === 'again' && <InviteDialog onClose={close} again={open.member} />}
      {open?.dialog === 'role' && <RoleDialog onClose={close} member={open.member} />}
      {open?.dialog === 'remove' && <RemoveDialog onClose={close} member={open.member} />}
    </Page>
  );
}

function List({ onOpen }: { onOpen: (what: Open) => void }) {
  const list = useInfiniteQuery(membersQuery);
  return (
    <PagedList list={list} noun="the members">
      {(members, isPlaceholderData) => (
        <>
          <Table caption="Members" columns={['Person', 'Role', 'Since', '']} isPlaceholderData={isPlaceholderData}>
            {members.map((member) => (
              <MemberRow
                key={member.user_id}
                member={member}
                members={members}
                isComplete={!list.hasNextPage}
                onOpen={(dialog) => onOpen({ dialog, member })}
              />
            ))}
          </Table>
          {members.length === 1 && (
            <EmptyState
              icon={UserPlus}
              title="No other members yet"
              actions={<Button onClick={() => onOpen({ dialog: 'invite' })}>Invite a person</Button>}
            >
              Invite the people who work with the calls. They get an e-mail with a first password, valid for seven days.
            </EmptyState>
          )}
        </>
      )}
    </PagedList>
  );
}
