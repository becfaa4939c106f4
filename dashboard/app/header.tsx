import { useQuery } from '@tanstack/react-query';
import { Coins, Search, TriangleAlert } from 'lucide-react';
import { useContext } from 'react';
import { Badge } from '../parts/badge.tsx';
import { Button, buttonClass } from '../parts/button.tsx';
import { Hidden } from '../parts/hidden.tsx';
import { names } from '../parts/names.ts';
import { OwnLink } from '../parts/own-link.tsx';
import { isCreditLow } from '../words/overview.ts';
import { credits } from '../words/times.ts';
import { AccountMenu } from './account-menu.tsx';
import { Bell } from './bell.tsx';
import styles from './header.module.css';
import { MeContext } from './me.ts';
import { attentionQuery } from './overview.ts';
import { openPalette } from './palette-state.ts';
import { Sheet } from './sheet.tsx';

/** The organization, its credit, the stage where it is none of customers, and who is signed in. */
export function Header() {
  const me = useContext(MeContext);
  return (
    <header className={styles.header}>
      <Sheet className={names(buttonClass('quiet', true), styles.sheetButton)} />
      <p className={styles.org}>{me?.org.name}</p>
      {me && (
        <div className={styles.facts}>
          {me.stage === 'local' && <Badge tone="warn">local</Badge>}
          {me.org.is_suspended && <Badge tone="bad">suspended</Badge>}
          <Button look="quiet" isIcon aria-label="Search and go" aria-keyshortcuts="Control+K" onClick={openPalette}>
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

/** The credit that is left, on every page; marked while it needs somebody. */
function Credit({ available }: { available: number }) {
  const { data } = useQuery(attentionQuery);
  const isLow = isCreditLow(data?.attention);
  return (
    <OwnLink href="/credit" className={names(styles.credit, isLow && styles.low)}>
      {isLow ? <TriangleAlert aria-hidden="true" /> : <Coins aria-hidden="true" />}
      {credits(available)}
      <span className={styles.unit}> credits</span>
      <Hidden> available{isLow && ', which is low'}</Hidden>
    </OwnLink>
  );
}
