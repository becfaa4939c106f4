import {
  CloudFormationClient,
  type CloudFormationClientConfig,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import type { Names } from '../../../lib/names.ts';
import { readRetention } from '../../../shared/domain/organizations/retention.ts';
import { Refusal } from '../failures.ts';

type Outputs = Readonly<Record<string, string | undefined>>;

/** The outputs of a stage's stacks: names and addresses that only the deployment knows. */
export function deployment(config: CloudFormationClientConfig, named: Names, stage: string) {
  const outputsOf = async (part: string): Promise<Outputs> => {
    const StackName = named.stack(part);
    const { Stacks } = await new CloudFormationClient(config).send(new DescribeStacksCommand({ StackName }));
    const outputs = Stacks?.[0]?.Outputs ?? [];
    return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue]));
  };
  const required = (part: string, output: string | undefined, description: string): string => {
    if (output) return output;
    throw new Refusal('not_deployed', `Stack ${named.stack(part)} has no ${description}: deploy stage ${stage}.`);
  };

  return {
    /** The only generated name: bucket names are global. */
    filesBucket: async () => required('data', (await outputsOf('data')).FilesBucketName, 'files bucket'),
    /** The stage's default retention. */
    defaultRetention: async () => readRetention(required('data', (await outputsOf('data')).Retention, 'retention')),
    publicUrl: async () => required('edge', (await outputsOf('edge')).PublicUrl, 'public URL'),
    dashboardUrl: async () => required('edge', (await outputsOf('edge')).DashboardUrl, 'dashboard URL'),
    /** The assets bucket of `cdk bootstrap`, in which deployments store source maps. */
    sourceMapsBucket: async () =>
      required('workers', (await outputsOf('workers')).SourceMapsBucket, 'bucket of source maps'),
    userPoolId: async () => required('data', (await outputsOf('data')).UserPoolId, 'user pool'),
    /** Hosts and scopes for consents. A host is undefined if the stage uses the vendor's own. */
    async oauthSettings() {
      const { ZohoAccountsUrl, CrmBApiUrl, HelpDeskApiUrl, HelpDeskScopes } = await outputsOf('api');
      return {
        hosts: { accountsUrl: ZohoAccountsUrl, apiUrl: CrmBApiUrl },
        helpDeskUrl: HelpDeskApiUrl,
        helpDeskScopes: required('api', HelpDeskScopes, 'help desk scopes'),
      };
    },
  };
}
