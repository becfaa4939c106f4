import { Stack, type StackProps } from 'aws-cdk-lib';
import { HttpAuthorizer, HttpAuthorizerType } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Construct } from 'constructs';
import { functionRoute } from '../constructs/function-route.ts';
import type { Resources } from '../constructs/resources.ts';
import { functionNames, functionRow } from '../functions.ts';
import type { EdgeStack } from './edge.ts';

/**
 * The functions behind the dashboard's pages. They are deployed all at once: no call depends on them, and an alias and
 * a group for each would exceed the 500 resources of a stack.
 */
export class DashboardStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { stage, data, messaging, publicUrl, dashboardUrl, edge, ...props }: StackProps & Resources & { edge: EdgeStack },
  ) {
    super(scope, id, props);
    const authorizer = HttpAuthorizer.fromHttpAuthorizerAttributes(this, 'people', {
      authorizerId: edge.authorizerId,
      authorizerType: HttpAuthorizerType.JWT,
    });
    for (const name of functionNames) {
      const { trigger } = functionRow(name);
      if (trigger.kind === 'http' && trigger.isDashboard)
        functionRoute(this, name, { stage, data, messaging, publicUrl, dashboardUrl, api: edge.api, authorizer });
    }
  }
}
