import { useQuery } from '@tanstack/react-query';
import { Coins, Search, TriangleAlert } from 'lucide-react';
import { useContext } from 'react';
import { Button, buttonClass } from '../../components/button/button.tsx';
import { classNames } from '../../components/class-names.ts';
import { Badge } from '../../components/text/badge.tsx';
import { InternalLink } from '../../components/text/internal-link.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { isCreditLow } from '../../words/overview/overview.ts';
import { formatCredits } from '../../words/times.ts';
import { AccountMenu } from '../menus/account-menu.tsx';
import { Bell } from '../menus/bell.tsx';
import { openPalette } from '../navigation/palette-state.ts';
import { MeContext } from '../shared-queries/me.ts';
import { attentionQuery } from '../shared-queries/overview.ts';
import styles from './header.module.css';
import { NavigationDrawer } from './navigation-drawer.tsx';

/** Shows the organization and its credit, the local stage or a suspension, and the signed-in person. */
export function Header() {
  const me = useContext(MeContext);
  return (
    <header className={styles.header}>
      <NavigationDrawer className={classNames(buttonClass('quiet', true), styles.drawerButton)} />
      <p className={styles.org}>{me?.org.name}</p>
      {me && (
        <div className={styles.facts}>
          {me.stage === 'local' && <Badge tone="warn">local</Badge>}
          {me.org.is_suspended && <Badge tone="bad">suspended</Badge>}
          <Button variant="quiet" isIcon aria-label="Search and go" aria-keyshortcuts="Control+K" onClick={openPalette}>
            <Search aria-hidden="true" />
          </Button>
          <Credit available={me.org.available} />
          <Bell />
          <AccountMenu me={me} />
        </div>
      )}
    </header>
  );
}

/** The remaining credit, on every page; marked if it needs attention. */
function Credit({ available }: { available: number }) {
  const { data } = useQuery(attentionQuery);
  const isLow = isCreditLow(data?.attention);
  return (
    <InternalLink href="/credit" className={classNames(styles.credit, isLow && styles.low)}>
      {isLow ? <TriangleAlert aria-hidden="true" /> : <Coins aria-hidden="true" />}
      {formatCredits(available)}
      <span className={styles.unit}> credits</span>
      <VisuallyHidden> available{isLow && ', which is low'}</VisuallyHidden>
    </InternalLink>
  );
}
