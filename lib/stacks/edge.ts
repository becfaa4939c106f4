import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  type CfnStage,
  DomainName,
  HttpApi,
  HttpAuthorizer,
  HttpAuthorizerType,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ring } from '../constructs/alarm.ts';
import { Site } from '../constructs/site.ts';
import { type Names, names } from '../names.ts';
import type { Stage } from '../stage.ts';
import type { DataStack } from './data.ts';

/** Requests per second for all keys together, above the limit of each key. */
const THROTTLE = { rateLimit: 500, burstLimit: 1_000 };

/**
 * Limits of each webhook, so that a flood at one leaves room for clients, people and the other webhooks. API Gateway
 * counts genuine deliveries with the flood: the limit must be far above what an address may send through the firewall.
 */
const ofWebhook = { ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 };
const WEBHOOK_THROTTLES = {
  'POST /api/webhooks/crm-a/{connectionId}': ofWebhook,
  'POST /api/webhooks/crm-b/{connectionId}': ofWebhook,
  'POST /api/webhooks/voice/vapi': ofWebhook,
};

/** Routes at which an answer of 5xx, or the gateway's 429, may be a lost lead. */
const LEAD_WEBHOOKS = Object.keys(WEBHOOK_THROTTLES).filter((route) => route.includes('/crm-'));

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

/**
 * What has an address: the HTTP API without its routes, and the dashboard's pages. It comes before all functions, so
 * that they know these addresses.
 */
export class EdgeStack extends Stack {
  readonly api: HttpApi;
  /** Checks the tokens of the dashboard's members. */
  readonly authorizerId: string;
  /** Base of the addresses given to clients and remote systems. */
  readonly publicUrl: string;
  /** Origin of the dashboard's pages. */
  readonly dashboardUrl: string;

  constructor(
    scope: Construct,
    id: string,
    { stage, data, site, ...props }: StackProps & { stage: Stage; data: DataStack; site: string },
  ) {
    super(scope, id, props);
    const named = names(stage.name);
    this.api = new HttpApi(this, 'http', { apiName: named.stack('http'), createDefaultStage: false });
    const accessLogGroup = new LogGroup(this, 'access-log', {
      // Below this name, a log needs no entry in the account's policy of logs, which must be short (CloudWatch Logs
      // guide, "Enable logging from AWS services").
      logGroupName: `/aws/vendedlogs/apigateway/${named.stack('http')}`,
      retention: stage.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const httpStage = new HttpStage(this, 'stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLogGroup),
        format: accessLog,
      },
    });
    for (const [name, certificate] of Object.entries(stage.publicNames ?? {}))
      this.#publicName(name, certificate, httpStage);
    if (stage.webhookThrottles) (httpStage.node.defaultChild as CfnStage).routeSettings = WEBHOOK_THROTTLES;
    this.authorizerId = new HttpAuthorizer(this, 'people', {
      httpApi: this.api,
      type: HttpAuthorizerType.JWT,
      authorizerName: 'people',
      identitySource: ['$request.header.Authorization'],
      jwtIssuer: `https://cognito-idp.${this.region}.${this.urlSuffix}/${data.userPool.userPoolId}`,
      jwtAudience: [data.userPoolClient.userPoolClientId],
    }).authorizerId;

    const { distribution } = new Site(this, 'site', {
      stage,
      folder: site,
      apiDomain: `${this.api.apiId}.execute-api.${this.region}.${this.urlSuffix}`,
      filesOrigin: stage.filesOrigin ?? `https://${data.files.bucketRegionalDomainName}`,
    });
    this.publicUrl = stage.publicUrl ?? this.api.apiEndpoint;
    this.dashboardUrl = stage.dashboardUrl ?? `https://${distribution.distributionDomainName}`;

    ring(
      this,
      'server-errors',
      data.alarms,
      this.api.metricServerError({ period: Duration.minutes(5), statistic: 'Sum' }),
      {
        name: `${named.stack('http')}-5xx`,
        severity: 'urgent',
        description: 'The API answers 5xx. docs/runbooks/alarms.md, "The API answers 5xx".',
        threshold: 4,
      },
    );
    this.#watchWebhooks(accessLogGroup, named, data);

    new CfnOutput(this, 'ApiId', { value: this.api.apiId });
    new CfnOutput(this, 'ApiEndpoint', { value: this.api.apiEndpoint });
    // The admin CLI reads these outputs, too.
    new CfnOutput(this, 'PublicUrl', { value: this.publicUrl });
    new CfnOutput(this, 'DashboardUrl', { value: this.dashboardUrl });
    new CfnOutput(this, 'DistributionDomain', { value: distribution.distributionDomainName });
  }
  /** CRMs rarely repeat a lead that was refused, so one refusal rings. API Gateway has no metric of a route. */
  #watchWebhooks(log: LogGroup, named: Names, data: DataStack): void {
    const routes = LEAD_WEBHOOKS.map((route) => `$.route = "${route}"`).join(' || ');
    const metricName = 'LeadWebhookFailed';
    new MetricFilter(this, 'failed-webhooks', {
      logGroup: log,
      filterPattern: FilterPattern.literal(`{ ($.status = "5*" || $.status = "429") && (${routes}) }`),
      metricNamespace: named.metrics,
      metricName,
    });
    const metric = new Metric({ namespace: named.metrics, metricName, period: Duration.minutes(1), statistic: 'Sum' });
    ring(this, 'failed-webhooks-alarm', data.alarms, metric, {
      name: `${named.stack('')}${metricName}`,
      severity: 'urgent',
      description: 'A webhook of a CRM refused a lead. docs/runbooks/alarms.md, "A webhook refuses a lead".',
      threshold: 0,
    });
  }
  /**
   * Makes API Gateway answer to a name. It belongs to the stack of the API, not to those of the functions, so that it
   * survives these.
   */
  #publicName(name: string, certificateArn: string, stage: HttpStage): void {
    const domainName = new DomainName(this, name, {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, `${name}-certificate`, certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new ApiMapping(this, `${name}-mapping`, { api: this.api, domainName, stage });
    new CfnOutput(this, `TargetOf-${name}`, { description: name, value: domainName.regionalDomainName });
  }
}
