import type { STSClientConfig } from '@aws-sdk/client-sts';
import type { Actor } from '../../../shared/domain/organizations/audit-entry.ts';

/**
 * Identifies who runs a command that changes something, for the audit log. A name may be set to anything; the ARN is
 * what AWS knows of the credentials (AWS STS, "GetCallerIdentity"), which needs no right.
 */
export async function operatorOf(name: string, config: STSClientConfig): Promise<Actor> {
  // Loaded for changes only: most commands read.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const { Arn: arn } = await new STSClient(config).send(new GetCallerIdentityCommand());
  if (arn === undefined) throw new Error('AWS does not say who runs the command');
  return { kind: 'operator', name, arn };
}
