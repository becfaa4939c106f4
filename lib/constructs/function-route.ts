import type { IHttpApi, IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnIntegration, type HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type FunctionName, functionRow } from '../functions.ts';
import { names } from '../names.ts';
import { rollbackAlarmOf } from '../stacks/edge.ts';
import type { Canaries } from './canaries.ts';
import type { Resources } from './resources.ts';
import { ServiceFunction } from './service-function.ts';

type Gateway = {
  api: IHttpApi;
  authorizer?: IHttpRouteAuthorizer;
  /** Deploys the function by canary; undefined if it gets all requests at once. */
  canaries?: Canaries | undefined;
};

/** Creates a function and its routes in the stack of `scope`; the API itself belongs to another stack. */
export function functionRoute(
  scope: Construct,
  name: FunctionName,
  { api, authorizer, canaries, ...resources }: Resources & Gateway,
): void {
  const { trigger } = functionRow(name);
  if (trigger.kind !== 'http') throw new Error(`${name} has no route`);
  const lambda = new ServiceFunction(scope, name, resources);
  const alarm = rollbackAlarmOf(trigger.routes, names(resources.stage.name));
  const called = canaries?.aliasOf(name, lambda, [...(lambda.errors ? [lambda.errors] : []), alarm]) ?? lambda;
  const integration = new HttpLambdaIntegration(`${name}-integration`, called);
  const routes = trigger.routes.map((route) => {
    const [method, path] = route.split(' ') as [HttpMethod, string];
    // Without the function's name, so that a route keeps its logical id when its function is renamed. CloudFormation
    // creates before it deletes, and API Gateway refuses a second route of the same key.
    return new HttpRoute(scope, route === '$default' ? 'default-route' : route.replaceAll('/', '-'), {
      httpApi: api,
      integration,
      routeKey: route === '$default' ? HttpRouteKey.DEFAULT : HttpRouteKey.with(path, method),
      ...(authorizer && trigger.isForMembers && { authorizer }),
    });
  });
  allowBeforeCall(routes);
}

/** Grants API Gateway the right to call a function or its alias before any of its routes is created. */
function allowBeforeCall(routes: readonly HttpRoute[]): void {
  const parts = routes.flatMap((route) => route.node.findAll());
  const permissions = parts.filter((part) => part instanceof CfnPermission);
  for (const part of parts) if (part instanceof CfnIntegration) part.node.addDependency(...permissions);
}
