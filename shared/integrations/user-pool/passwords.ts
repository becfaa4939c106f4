import {
  ChangePasswordCommand,
  CodeDeliveryFailureException,
  type CognitoIdentityProviderClient,
  ConfirmForgotPasswordCommand,
  ForgotPasswordCommand,
  GlobalSignOutCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { orRefusal, type PoolRefusal } from './outcome.ts';

export type UserPoolPasswords = ReturnType<typeof userPoolPasswords>;
type Done = { kind: 'done' };

/** Changes passwords in the Cognito user pool. These requests need no AWS credentials, only the person's secrets. */
export function userPoolPasswords(client: CognitoIdentityProviderClient, clientId: string) {
  const done = async (request: Promise<unknown>): Promise<Done | PoolRefusal> => {
    const answer = await orRefusal(request.then((): Done => ({ kind: 'done' })));
    return answer;
  };
  return {
    /** Mails a code, if the address belongs to a person who has a password. */
    async requestReset(email: string): Promise<Done | PoolRefusal | { kind: 'not_delivered' }> {
      try {
        return await done(client.send(new ForgotPasswordCommand({ ClientId: clientId, Username: email })));
      } catch (error) {
        // Only a known person's code can fail to be delivered.
        if (error instanceof CodeDeliveryFailureException) return { kind: 'not_delivered' };
        throw error;
      }
    },

    reset: (email: string, code: string, newPassword: string) =>
      done(
        client.send(
          new ConfirmForgotPasswordCommand({
            ClientId: clientId,
            Username: email,
            ConfirmationCode: code,
            Password: newPassword,
          }),
        ),
      ),

    change: (accessToken: string, password: string, newPassword: string) =>
      done(
        client.send(
          new ChangePasswordCommand({
            AccessToken: accessToken,
            PreviousPassword: password,
            ProposedPassword: newPassword,
          }),
        ),
      ),

    /** Ends all sessions of the person, whose access tokens stay valid for some minutes. */
    endSessions: (accessToken: string) => done(client.send(new GlobalSignOutCommand({ AccessToken: accessToken }))),
  };
}
