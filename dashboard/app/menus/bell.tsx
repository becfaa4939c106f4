import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Bell as BellIcon, House, OctagonAlert, TriangleAlert } from 'lucide-react';
import { buttonClass } from '../../components/button/button.tsx';
import { Menu, MenuItem } from '../../components/button/menu.tsx';
import { classNames } from '../../components/class-names.ts';
import { describeAttention } from '../../words/overview/attention.ts';
import { describeNoAttention } from '../../words/overview/overview.ts';
import { attentionQuery } from '../shared-queries/overview.ts';
import styles from './menus.module.css';

/** Lists what needs attention, on every page; each item links to its fix. */
export function Bell() {
  const { history } = useRouter();
  const { data } = useQuery(attentionQuery);
  const none = describeNoAttention(data);
  const needs = describeAttention(data?.attention ?? [], data?.credit?.days_left ?? null);
  const sum = needs.length === 1 ? '1 thing needs you' : `${needs.length} things need you`;
  return (
    <Menu
      trigger={
        <button
          type="button"
          className={classNames(buttonClass('quiet', true), styles.bell)}
          aria-label={needs.length === 0 ? none : sum}
        >
          <BellIcon aria-hidden="true" />
          {needs.length > 0 && (
            <span className={styles.count} aria-hidden="true">
              {needs.length}
            </span>
          )}
        </button>
      }
      head={<strong>{needs.length === 0 ? none : 'Needs you'}</strong>}
    >
      {needs.map(({ sentence, to, tone }) => (
        <MenuItem key={sentence} icon={tone === 'bad' ? OctagonAlert : TriangleAlert} onClick={() => history.push(to)}>
          {sentence}
        </MenuItem>
      ))}
      <MenuItem icon={House} onClick={() => history.push('/')}>
        Open the overview
      </MenuItem>
    </Menu>
  );
}
