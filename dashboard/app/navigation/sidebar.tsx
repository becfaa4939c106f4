import { Link } from '@tanstack/react-router';
import {
  Bot,
  Building2,
  Coins,
  History,
  House,
  KeyRound,
  type LucideIcon,
  Mail,
  Phone,
  PhoneOff,
  Plug,
  Target,
  Users,
  Webhook,
} from 'lucide-react';
import icon from '../../icon.svg';
import styles from './sidebar.module.css';

type Entry = {
  to:
    | '/'
    | '/calls'
    | '/assistants'
    | '/leads'
    | '/connections'
    | '/settings/members'
    | '/settings/audit'
    | '/settings/organization'
    | '/settings/notifications'
    | '/developers/keys'
    | '/developers/callbacks'
    | '/credit'
    | '/do-not-call';
  icon: LucideIcon;
  label: string;
};

/** The pages in the order of the sidebar. */
export const pageGroups: readonly { title?: string; entries: readonly Entry[] }[] = [
  {
    entries: [
      { to: '/', icon: House, label: 'Overview' },
      { to: '/calls', icon: Phone, label: 'Calls' },
      { to: '/assistants', icon: Bot, label: 'Assistants' },
      { to: '/leads', icon: Target, label: 'Leads' },
    ],
  },
  {
    entries: [
      { to: '/connections', icon: Plug, label: 'Connections' },
      { to: '/do-not-call', icon: PhoneOff, label: 'Do not call' },
      { to: '/credit', icon: Coins, label: 'Credit' },
    ],
  },
  {
    title: 'Developers',
    entries: [
      { to: '/developers/keys', icon: KeyRound, label: 'API keys' },
      { to: '/developers/callbacks', icon: Webhook, label: 'Callbacks' },
    ],
  },
  {
    title: 'Settings',
    entries: [
      { to: '/settings/organization', icon: Building2, label: 'Organization' },
      { to: '/settings/members', icon: Users, label: 'Members' },
      { to: '/settings/notifications', icon: Mail, label: 'Notifications' },
      { to: '/settings/audit', icon: History, label: 'Audit log' },
    ],
  },
];

/** The links to the pages; `onNavigate` closes the drawer that shows them on a phone. */
export const Navigation = ({ onNavigate }: { onNavigate?: () => void }) => (
  <nav aria-label="Pages" className={styles.nav}>
    {pageGroups.map(({ title, entries }) => (
      <div key={entries[0]?.to} className={styles.group}>
        {title && <p className={styles.groupTitle}>{title}</p>}
        <ul>
          {entries.map(({ to, icon: Icon, label }) => (
            <li key={to}>
              <Link
                to={to}
                search={{}}
                className={styles.link}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                activeProps={{ 'aria-current': 'page' }}
                onClick={onNavigate}
              >
                <Icon aria-hidden="true" />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </nav>
);

export const Brand = () => (
  <div className={styles.brand}>
    <img src={icon} alt="" width={28} height={28} />
    <span>Calling service</span>
  </div>
);

export const Sidebar = () => (
  <aside className={styles.sidebar} aria-label="Calling service">
    <Brand />
    <Navigation />
  </aside>
);
