import { Ellipsis, Mail, UserCog, UserMinus } from 'lucide-react';
import { inviteMember, type MemberView } from '../../../shared/messages/dashboard/people.ts';
import { initialsOf } from '../../app/menus/account-menu.tsx';
import { deniedReason, deniedReasonToChangeMember, deniedReasonToGiveRole } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { Menu, MenuItem } from '../../components/button/menu.tsx';
import { tableStyles } from '../../components/list/table.tsx';
import { Badge } from '../../components/text/badge.tsx';
import { Time } from '../../components/text/time.tsx';
import { nameIn } from '../../words/newer.ts';
import { roleNames } from '../../words/people/roles.ts';
import styles from './members.module.css';

type Props = {
  member: MemberView;
  /** All members that are loaded. */
  members: readonly MemberView[];
  isComplete: boolean;
  onOpen: (dialog: 'role' | 'remove' | 'again') => void;
};

export function MemberRow({ member, members, isComplete, onOpen }: Props) {
  const me = useMe();
  const reason = deniedReasonToChangeMember(me, member, members, isComplete);
  const isMe = member.user_id === me.user_id;
  return (
    <tr>
      <td>
        <div className={styles.person}>
          <span className={styles.avatar} aria-hidden="true">
            {initialsOf(member.name)}
          </span>
          <div>
            <div className={styles.name}>
              {member.name} {isMe && <Badge>you</Badge>}
            </div>
            <div className={styles.email}>{member.email}</div>
          </div>
        </div>
      </td>
      <td data-label="Role">
        <Badge tone={member.role === 'owner' || member.role === 'admin' ? 'info' : 'plain'}>
          {nameIn(roleNames, member.role)}
        </Badge>
      </td>
      <td data-label="Since">
        <Time at={member.created_at} isDay />
      </td>
      <td className={tableStyles.end}>
        <Menu
          trigger={
            <Button variant="quiet" isIcon aria-label={`Actions for ${member.name}`}>
              <Ellipsis aria-hidden="true" />
            </Button>
          }
        >
          <MenuItem icon={UserCog} disabledReason={reason} onClick={() => onOpen('role')}>
            Change role…
          </MenuItem>
          <MenuItem
            icon={Mail}
            disabledReason={
              isMe
                ? 'You are already a member.'
                : (deniedReason(me, inviteMember) ?? deniedReasonToGiveRole(me, member.role))
            }
            onClick={() => onOpen('again')}
          >
            Send the invitation again…
          </MenuItem>
          <MenuItem icon={UserMinus} isDangerous disabledReason={reason} onClick={() => onOpen('remove')}>
            {isMe ? 'Leave the organization…' : 'Remove…'}
          </MenuItem>
        </Menu>
      </td>
    </tr>
  );
}
