import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  type HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ServiceFunction } from '../constructs/service-function.ts';
import { functionNames, functionRow } from '../functions.ts';
import { names } from '../names.ts';
import type { Stage } from '../stage.ts';
import type { DataStack } from './data.ts';
import type { MessagingStack } from './messaging.ts';

/** Requests per second for all keys together, above the limit of each key. */
const THROTTLE = { rateLimit: 500, burstLimit: 1_000 };

/** Fields of the access log: no query string and no headers, because they may carry tokens. */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    request_id: '$context.requestId',
    at: '$context.requestTime',
    route: '$context.routeKey',
    status: '$context.status',
    latency_ms: '$context.responseLatency',
    integration_error: '$context.integrationErrorMessage',
  }),
);

/** The HTTP API and the function behind each route. */
export class ApiStack extends Stack {
  /** Base of the addresses given to clients and remote systems. */
  readonly publicUrl: string;

  constructor(
    scope: Construct,
    id: string,
    { stage, data, messaging, ...props }: StackProps & { stage: Stage; data: DataStack; messaging: MessagingStack },
  ) {
    super(scope, id, props);
    const named = names(stage.name);
    const api = new HttpApi(this, 'http', { apiName: named.stack('http'), createDefaultStage: false });
    new HttpStage(this, 'stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'access-log', {
            logGroupName: `/aws/apigateway/${named.stack('http')}`,
            retention: stage.logRetentionDays,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        ),
        format: accessLog,
      },
    });
    this.publicUrl = stage.publicUrl ?? api.apiEndpoint;

    for (const name of functionNames) {
      const { trigger } = functionRow(name);
      if (trigger.kind !== 'http') continue;
      const integration = new HttpLambdaIntegration(
        `${name}-integration`,
        new ServiceFunction(this, name, { stage, data, messaging, publicUrl: this.publicUrl }),
      );
      for (const route of trigger.routes) {
        if (route === '$default') {
          new HttpRoute(this, 'default-route', { httpApi: api, integration, routeKey: HttpRouteKey.DEFAULT });
        } else {
          const [method, path] = route.split(' ') as [HttpMethod, string];
          api.addRoutes({ path, methods: [method], integration });
        }
      }
    }

    api
      .metricServerError({ period: Duration.minutes(5), statistic: 'Sum' })
      .createAlarm(this, 'server-errors', {
        alarmName: `${named.stack('http')}-5xx`,
        alarmDescription: 'The API answers 5xx. docs/runbooks/alarms.md, "The API answers 5xx".',
        threshold: 5,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      })
      .addAlarmAction(new SnsAction(data.alarms));

    new CfnOutput(this, 'ApiId', { value: api.apiId });
    new CfnOutput(this, 'PublicUrl', { value: this.publicUrl });
    // The admin CLI reads these outputs to find the stage.
    new CfnOutput(this, 'HelpDeskScopes', { value: stage.helpDeskScopes });
    if (stage.zohoAccountsUrl) new CfnOutput(this, 'ZohoAccountsUrl', { value: stage.zohoAccountsUrl });
    if (stage.crmBApiUrl) new CfnOutput(this, 'CrmBApiUrl', { value: stage.crmBApiUrl });
    if (stage.helpDeskApiUrl) new CfnOutput(this, 'HelpDeskApiUrl', { value: stage.helpDeskApiUrl });
  }
}
