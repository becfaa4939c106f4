import {
  AdminInitiateAuthCommand,
  AdminRespondToAuthChallengeCommand,
  type AuthenticationResultType,
  type CognitoIdentityProviderClient,
  GlobalSignOutCommand,
  RevokeTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { UserPoolThrottled } from '../../domain/contention.ts';
import { orRefusal, type PoolRefusal, unreadableToken } from './outcome.ts';

export type Pool = { poolId: string; clientId: string };

export type Tokens = {
  kind: 'tokens';
  accessToken: string;
  /** Absent after a renewal: the former one stays valid. */
  refreshToken?: string;
  /** Seconds. */
  expiresIn: number;
};

export type SignInAnswer =
  | Tokens
  /** The first password of an invitation must be replaced. @param session for the answer, valid a few minutes. */
  | { kind: 'new_password'; session: string }
  | PoolRefusal;

/** The form of a token (Cognito API reference, "RevokeToken"). The user pool would fail on another text. */
const TOKEN = /^[\w=.-]+$/;

export type UserPoolSessions = ReturnType<typeof userPoolSessions>;

/** Begins, renews and ends sessions in the Cognito user pool. */
export function userPoolSessions(client: CognitoIdentityProviderClient, { poolId, clientId }: Pool) {
  const app = { UserPoolId: poolId, ClientId: clientId };
  return {
    async signIn(email: string, password: string): Promise<SignInAnswer> {
      const answer = await orRefusal(
        client.send(
          new AdminInitiateAuthCommand({
            ...app,
            AuthFlow: 'ADMIN_USER_PASSWORD_AUTH',
            AuthParameters: { USERNAME: email, PASSWORD: password },
          }),
        ),
      );
      if ('kind' in answer) return answer;
      if (answer.ChallengeName === 'NEW_PASSWORD_REQUIRED')
        return { kind: 'new_password', session: answer.Session ?? '' };
      return tokensOf(answer.AuthenticationResult, answer.ChallengeName);
    },

    /** Replaces the first password of an invitation. */
    async setFirstPassword(email: string, newPassword: string, session: string): Promise<Tokens | PoolRefusal> {
      const answer = await orRefusal(
        client.send(
          new AdminRespondToAuthChallengeCommand({
            ...app,
            ChallengeName: 'NEW_PASSWORD_REQUIRED',
            Session: session,
            ChallengeResponses: { USERNAME: email, NEW_PASSWORD: newPassword },
          }),
        ),
        unreadableToken,
      );
      return 'kind' in answer ? answer : tokensOf(answer.AuthenticationResult, answer.ChallengeName);
    },

    async refresh(refreshToken: string): Promise<Tokens | PoolRefusal> {
      if (!TOKEN.test(refreshToken)) return { kind: 'refused' };
      const answer = await orRefusal(
        client.send(
          new AdminInitiateAuthCommand({
            ...app,
            AuthFlow: 'REFRESH_TOKEN_AUTH',
            AuthParameters: { REFRESH_TOKEN: refreshToken },
          }),
        ),
        unreadableToken,
      );
      return 'kind' in answer ? answer : tokensOf(answer.AuthenticationResult, answer.ChallengeName);
    },

    /** Ends the session of a refresh token. An unknown token has already ended. @throws UserPoolThrottled */
    async revoke(refreshToken: string): Promise<void> {
      if (!TOKEN.test(refreshToken)) return;
      await ended(client.send(new RevokeTokenCommand({ ClientId: clientId, Token: refreshToken })));
    },

    /** Ends all sessions of the person. @throws UserPoolThrottled */
    async signOutEverywhere(accessToken: string): Promise<void> {
      await ended(client.send(new GlobalSignOutCommand({ AccessToken: accessToken })));
    },
  };
}

/** Treats a refusal as an already ended session, except throttling, which leaves the session open. */
async function ended(request: Promise<object>): Promise<void> {
  const answer = await orRefusal(request, unreadableToken);
  if ('kind' in answer && answer.kind === 'throttled') throw new UserPoolThrottled('the session was not ended');
}

function tokensOf(result: AuthenticationResultType | undefined, challenge: string | undefined): Tokens {
  const { AccessToken: accessToken, RefreshToken: refreshToken, ExpiresIn: expiresIn } = result ?? {};
  if (!accessToken || !expiresIn)
    throw new Error(`the user pool requests ${challenge}, which the service does not use`);
  return { kind: 'tokens', accessToken, expiresIn, ...(refreshToken && { refreshToken }) };
}
