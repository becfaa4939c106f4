import type { STSClientConfig } from '@aws-sdk/client-sts';
import type { Actor } from '../../../shared/domain/organizations/audit/audit-entry.ts';

/**
 * Identifies the person who runs a changing command, for the audit log. The name can be set to anything; AWS derives
 * the ARN from the credentials (AWS STS, "GetCallerIdentity"), which needs no right.
 */
export async function operatorOf(name: string, config: STSClientConfig): Promise<Actor> {
  // Loaded only for changes, because most commands only read.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const { Arn: arn } = await new STSClient(config).send(new GetCallerIdentityCommand());
  if (arn === undefined) throw new Error('AWS does not say who runs the command');
  return { kind: 'operator', name, arn };
}
