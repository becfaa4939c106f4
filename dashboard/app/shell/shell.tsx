import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { Toaster } from '../../components/message/toaster.tsx';
import { ApiError } from '../api/api-error.ts';
import { KeyboardShortcuts } from '../keyboard/keyboard-shortcuts.tsx';
import { Sidebar } from '../navigation/sidebar.tsx';
import { session } from '../session/browser-session.ts';
import { useSession } from '../session/use-session.ts';
import { MeContext, meQuery } from '../shared-queries/me.ts';
import { Redirect } from '../url/redirect.tsx';
import { signInPath } from '../url/return-path.ts';
import { Header } from './header.tsx';
import { SessionDialog } from './session-dialog.tsx';
import styles from './shell.module.css';
import { StaleBanner } from './stale-banner.tsx';
import { StartupError } from './startup-error.tsx';

/** The frame of every page of a signed-in person. */
export function Shell() {
  const state = useSession();
  const { href } = useLocation();
  const isSignedIn = state === 'signed_in' || state === 'interrupted';
  const me = useQuery({ ...meQuery, enabled: isSignedIn });

  if (state === 'signed_out') return <Redirect path={signInPath(href)} />;
  if (state === 'unreachable') return <StartupError error={session.failure()} onRetry={() => session.restore()} />;
  const isNoMember = me.error instanceof ApiError && me.error.code === 'no_membership';
  if (me.isError && (me.data === undefined || isNoMember))
    return (
      <>
        <StartupError error={me.error} onRetry={() => me.refetch()} canSignOut />
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
      <KeyboardShortcuts />
      {state === 'interrupted' && <SessionDialog email={me.data?.email} />}
    </MeContext>
  );
}
