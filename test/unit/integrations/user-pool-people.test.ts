import type { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { userPoolPeople } from '../../../shared/integrations/user-pool/people.ts';

/** Collects the requests to a user pool. */
function peopleAndRequests() {
  const requests: object[] = [];
  const client = {
    send: async ({ input }: { input: object }) => {
      requests.push(input);
      return { User: { Attributes: [{ Name: 'sub', Value: 'user-1' }] } };
    },
  } as unknown as CognitoIdentityProviderClient;
  return { people: userPoolPeople(client, 'pool-1'), requests };
}

it('a first invitation and each further one are mailed', async () => {
  const { people, requests } = peopleAndRequests();
  await people.add('asha@example.com');
  await people.inviteAgain('asha@example.com');
  expect(requests).toEqual([
    expect.objectContaining({ Username: 'asha@example.com', DesiredDeliveryMediums: ['EMAIL'] }),
    expect.objectContaining({
      ...{ Username: 'asha@example.com', MessageAction: 'RESEND', DesiredDeliveryMediums: ['EMAIL'] },
    }),
  ]);
});

it('a stage that shows first passwords mails none', async () => {
  const { people, requests } = peopleAndRequests();
  await people.add('asha@example.com', 'first password');
  await people.inviteAgain('asha@example.com', 'second password');
  expect(requests).toEqual([
    expect.objectContaining({ TemporaryPassword: 'first password', MessageAction: 'SUPPRESS' }),
    expect.objectContaining({ TemporaryPassword: 'second password', MessageAction: 'RESEND' }),
  ]);
  for (const request of requests) expect(request).not.toHaveProperty('DesiredDeliveryMediums');
});
