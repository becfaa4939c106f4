import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  AdminUserGlobalSignOutCommand,
  type AttributeType,
  type CognitoIdentityProviderClient,
  UserNotFoundException,
  UsernameExistsException,
} from '@aws-sdk/client-cognito-identity-provider';
import { orRefusal, type PoolRefusal } from './outcome.ts';

export type UserPoolPeople = ReturnType<typeof userPoolPeople>;

const subOf = (attributes: readonly AttributeType[] = []): string => {
  const sub = attributes.find(({ Name }) => Name === 'sub')?.Value;
  if (!sub) throw new Error('the user pool returned no sub');
  return sub;
};

/** Adds people to the Cognito user pool and removes them. */
export function userPoolPeople(client: CognitoIdentityProviderClient, poolId: string) {
  const user = (email: string) => ({ UserPoolId: poolId, Username: email });
  return {
    /**
     * Creates the person and mails a first password, which is valid for a week.
     * @param firstPassword is set and not mailed; for a stage that sends no e-mails
     * @returns the person's `sub`; undefined if the pool already has the person
     */
    async add(email: string, firstPassword?: string): Promise<string | undefined> {
      try {
        const { User } = await client.send(
          new AdminCreateUserCommand({
            ...user(email),
            // Without a verified address, the person could not reset the password.
            UserAttributes: [
              { Name: 'email', Value: email },
              { Name: 'email_verified', Value: 'true' },
            ],
            ...mailing(firstPassword),
          }),
        );
        return subOf(User?.Attributes);
      } catch (error) {
        if (error instanceof UsernameExistsException) return undefined;
        throw error;
      }
    },

    /** Replaces and mails the first password of a person who has not used it. @param firstPassword as in `add`. */
    async inviteAgain(email: string, firstPassword?: string): Promise<void> {
      await client.send(
        new AdminCreateUserCommand({
          ...user(email),
          ...(firstPassword === undefined ? BY_EMAIL : { TemporaryPassword: firstPassword }),
          MessageAction: 'RESEND',
        }),
      );
    },

    /** @returns undefined if the pool does not have the person. */
    async find(email: string): Promise<{ userId: string; hasOwnPassword: boolean } | undefined> {
      try {
        const { UserAttributes, UserStatus } = await client.send(new AdminGetUserCommand(user(email)));
        return { userId: subOf(UserAttributes), hasOwnPassword: UserStatus !== 'FORCE_CHANGE_PASSWORD' };
      } catch (error) {
        if (error instanceof UserNotFoundException) return undefined;
        throw error;
      }
    },

    /** Ends all sessions of the person, whose access tokens stay valid for some minutes. */
    endSessions: (email: string): Promise<{ kind: 'done' } | PoolRefusal> =>
      orRefusal(client.send(new AdminUserGlobalSignOutCommand(user(email))).then(() => ({ kind: 'done' as const }))),

    /** Removes the person, who may be gone already. */
    async remove(email: string): Promise<void> {
      try {
        await client.send(new AdminDeleteUserCommand(user(email)));
      } catch (error) {
        if (!(error instanceof UserNotFoundException)) throw error;
      }
    },
  };
}

/** By default, Cognito sends a text message, even for a repeat (API reference, AdminCreateUser). */
const BY_EMAIL = { DesiredDeliveryMediums: ['EMAIL' as const] };

const mailing = (firstPassword: string | undefined) =>
  firstPassword === undefined ? BY_EMAIL : { TemporaryPassword: firstPassword, MessageAction: 'SUPPRESS' as const };
