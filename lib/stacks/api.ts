import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Canaries } from '../constructs/canaries.ts';
import { functionRoute } from '../constructs/function-route.ts';
import type { Resources } from '../constructs/resources.ts';
import { functionNames, functionRow } from '../functions.ts';
import type { EdgeStack } from './edge.ts';

/** The functions behind the routes of clients, CRMs, the voice platform and consents. */
export class ApiStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { stage, data, messaging, publicUrl, dashboardUrl, edge, ...props }: StackProps & Resources & { edge: EdgeStack },
  ) {
    super(scope, id, props);
    const canaries = Canaries.for(this, 'api', stage);
    for (const name of functionNames) {
      const { trigger } = functionRow(name);
      if (trigger.kind === 'http' && !trigger.isDashboard)
        functionRoute(this, name, { stage, data, messaging, publicUrl, dashboardUrl, api: edge.api, canaries });
    }
    // The admin CLI reads these outputs to find the stage.
    new CfnOutput(this, 'HelpDeskScopes', { value: stage.helpDeskScopes });
    if (stage.zohoAccountsUrl) new CfnOutput(this, 'ZohoAccountsUrl', { value: stage.zohoAccountsUrl });
    if (stage.crmBApiUrl) new CfnOutput(this, 'CrmBApiUrl', { value: stage.crmBApiUrl });
    if (stage.helpDeskApiUrl) new CfnOutput(this, 'HelpDeskApiUrl', { value: stage.helpDeskApiUrl });
  }
}
