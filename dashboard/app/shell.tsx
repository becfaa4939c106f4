import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { Skeleton } from '../parts/skeleton.tsx';
import { Toaster } from '../parts/toaster.tsx';
import { ApiError } from './api-error.ts';
import { session } from './browser-session.ts';
import { Header } from './header.tsx';
import { MeContext, meQuery } from './me.ts';
import { Redirect } from './redirect.tsx';
import { signInFor } from './return-path.ts';
import { SessionDialog } from './session-dialog.tsx';
import styles from './shell.module.css';
import { ShortcutKeys } from './shortcut-keys.tsx';
import { Sidebar } from './sidebar.tsx';
import { StaleBanner } from './stale-banner.tsx';
import { Stopped } from './stopped.tsx';
import { useSession } from './use-session.ts';

/** What is around every page of somebody who is signed in. */
export function Shell() {
  const state = useSession();
  const { href } = useLocation();
  const isIn = state === 'signed_in' || state === 'interrupted';
  const me = useQuery({ ...meQuery, enabled: isIn });

  if (state === 'signed_out') return <Redirect path={signInFor(href)} />;
  if (state === 'unreachable')
    return <Stopped error={new ApiError({ status: 0, code: 'network' })} retry={() => session.begin()} />;
  const isOut = me.error instanceof ApiError && me.error.code === 'no_membership';
  if (me.isError && (me.data === undefined || isOut))
    return (
      <>
        <Stopped error={me.error} retry={() => me.refetch()} canSignOut />
        {state === 'interrupted' && <SessionDialog email={undefined} />}
      </>
    );

  return (
    <MeContext value={me.data}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <div className={styles.shell}>
        <Sidebar />
        <div className={styles.side}>
          <Header />
          <StaleBanner />
          <main id="content" className={styles.main} tabIndex={-1}>
            {me.data ? <Outlet /> : <Skeleton lines={6} />}
          </main>
        </div>
      </div>
      <Toaster />
      <ShortcutKeys />
      {state === 'interrupted' && <SessionDialog email={me.data?.email} />}
    </MeContext>
  );
}
