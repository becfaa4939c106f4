import { useNavigate } from '@tanstack/react-router';
import { LogOut, UserRound } from 'lucide-react';
import type { Me } from '../../../shared/messages/dashboard/people.ts';
import { Menu, MenuItem } from '../../components/button/menu.tsx';
import { toastFailure } from '../../components/message/toasts.ts';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { roleNames } from '../../words/people/roles.ts';
import { endSession } from '../session/browser-session.ts';
import styles from './menus.module.css';

/** "Priya Nair" → "PN" */
export const initialsOf = (name: string): string => {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase();
};

export function AccountMenu({ me }: { me: Me }) {
  const navigate = useNavigate();
  const leave = () => endSession(false).catch((error) => toastFailure('Not signed out.', error));
  return (
    <Menu
      trigger={
        <button type="button" className={styles.avatar}>
          {initialsOf(me.name)}
          <VisuallyHidden>, account of {me.name}</VisuallyHidden>
        </button>
      }
      head={
        <>
          <strong>{me.name}</strong>
          <br />
          {me.email}
          <br />
          {roleNames[me.role]}
        </>
      }
    >
      <MenuItem icon={UserRound} onClick={() => navigate({ to: '/account' })}>
        Account
      </MenuItem>
      <MenuItem icon={LogOut} onClick={leave}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
