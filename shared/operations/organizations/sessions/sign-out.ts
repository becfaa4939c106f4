import { UserPoolThrottled } from '../../../domain/contention.ts';
import type { UserPoolSessions } from '../../../integrations/user-pool/sessions.ts';
import type { MemberStore } from '../../../stores/organizations/members.ts';
import { type AuditedChangeDeps, audited } from '../steps/audited-change.ts';

export type SignOutDeps = AuditedChangeDeps & {
  pool: Pick<UserPoolSessions, 'refresh' | 'revoke' | 'signOutEverywhere'>;
  members: Pick<MemberStore, 'get' | 'updating'>;
};

/** `no_session`: the token names no person, so that other sessions may have stayed. */
export type SigningOut = 'signed_out' | 'no_session';

/**
 * Ends the session of a refresh token, or all sessions of its person, whose access tokens are then refused, too.
 * @param refreshToken may be unknown or ended: then its own session has ended before
 * @throws UserPoolThrottled a repeat continues where this one ended
 */
export async function signOut(
  deps: SignOutDeps,
  refreshToken: string | undefined,
  { everywhere }: { everywhere: boolean },
): Promise<SigningOut> {
  if (!refreshToken) return everywhere ? 'no_session' : 'signed_out';
  const result = everywhere ? await endAll(deps, refreshToken) : 'signed_out';
  await deps.pool.revoke(refreshToken);
  return result;
}

async function endAll(deps: SignOutDeps, token: string): Promise<SigningOut> {
  const { pool, members } = deps;
  const session = await pool.refresh(token);
  // The person expects every session to end.
  if (session.kind === 'throttled') throw new UserPoolThrottled('the user pool is too busy to end the sessions');
  if (session.kind !== 'tokens') return 'no_session';
  const member = await members.get(subOf(session.accessToken));
  if (member) {
    const at = deps.now();
    const { user_id, email, name, org_id } = member;
    // A removed member's tokens are refused anyway, so a refused write is not a failure.
    await deps.transact({
      member: members.updating(member, { sessions_from: at.toISOString() }),
      audit: audited(
        deps,
        {
          org_id,
          actor: { kind: 'member', user_id, email },
          action: 'member.signed_out_everywhere',
          thing: { id: user_id, name },
        },
        at,
      ),
    });
  }
  await pool.signOutEverywhere(session.accessToken);
  return 'signed_out';
}

/** Reads the person's id from an access token that the user pool has just issued, so its signature needs no check. */
function subOf(accessToken: string): string {
  const [, payload = ''] = accessToken.split('.');
  return String(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')).sub);
}
