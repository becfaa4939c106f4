import { AdminSetUserPasswordCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { names } from '../../lib/names.ts';
import { newToken } from '../../shared/domain/ids.ts';
import { newFirstPassword } from '../../shared/domain/organizations/members/password.ts';
import { userPoolPeople } from '../../shared/integrations/user-pool/people.ts';
import { inviteMember } from '../../shared/operations/organizations/members/invite-member.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { auditStore } from '../../shared/stores/organizations/audit.ts';
import { memberStore } from '../../shared/stores/organizations/members.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import type { LocalClient } from '../client.ts';
import type { Demo } from './model.ts';

const EMAIL = 'owner@demo.example';

/** Creates the owner of the demo organization, with a new password for this start. */
export async function createDemoOwner(
  client: LocalClient,
  named: ReturnType<typeof names>,
  db: DynamoDBDocumentClient,
  { org_id, userPoolId }: { org_id: string; userPoolId: string },
): Promise<Demo['dashboard_user']> {
  const cognito = new CognitoIdentityProviderClient(client);
  const password = newFirstPassword();
  await inviteMember(
    {
      pool: userPoolPeople(cognito, userPoolId),
      members: memberStore(db, named.table('members')),
      organizations: organizationStore(db, named.table('organizations')),
      audit: auditStore(db, named.table('audit')),
      transact: transactions(db),
      now: () => new Date(),
      newToken,
      firstPassword: () => password,
    },
    { actor: { kind: 'operator', name: 'npm start' }, role: 'owner' },
    { org_id, email: EMAIL, name: 'Priya Nair', role: 'owner' },
  );
  // Permanent, so that the first sign-in does not require a new password.
  await cognito.send(
    new AdminSetUserPasswordCommand({ UserPoolId: userPoolId, Username: EMAIL, Password: password, Permanent: true }),
  );
  return { email: EMAIL, password };
}
