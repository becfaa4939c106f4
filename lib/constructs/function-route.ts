import type { IHttpApi, IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { type HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Construct } from 'constructs';
import { type FunctionName, functionRow } from '../functions.ts';
import type { Resources } from './resources.ts';
import { ServiceFunction } from './service-function.ts';

/** A function and its routes, in the stack of `scope`; the API itself belongs to another stack. */
export function functionRoute(
  scope: Construct,
  name: FunctionName,
  { api, authorizer, ...resources }: Resources & { api: IHttpApi; authorizer?: IHttpRouteAuthorizer },
): void {
  const { trigger } = functionRow(name);
  if (trigger.kind !== 'http') throw new Error(`${name} has no route`);
  const integration = new HttpLambdaIntegration(`${name}-integration`, new ServiceFunction(scope, name, resources));
  for (const route of trigger.routes) {
    const [method, path] = route.split(' ') as [HttpMethod, string];
    // Without the function's name: a route keeps its logical id when its function gets another name. CloudFormation
    // creates before it deletes, and API Gateway refuses a second route of the same key.
    new HttpRoute(scope, route === '$default' ? 'default-route' : route.replaceAll('/', '-'), {
      httpApi: api,
      integration,
      routeKey: route === '$default' ? HttpRouteKey.DEFAULT : HttpRouteKey.with(path, method),
      ...(authorizer && trigger.isForMembers && { authorizer }),
    });
  }
}
