import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpAuthorizer,
  HttpAuthorizerType,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { ApiGatewayv2DomainProperties, CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { METRIC_DIMENSION, type MetricName } from '../../shared/domain/metric.ts';
import { DASHBOARD_PATH } from '../../shared/messages/dashboard/route.ts';
import { createAlarm, type Severity } from '../constructs/alarm.ts';
import { createAliasRecords } from '../constructs/alias-records.ts';
import { Site } from '../constructs/site.ts';
import { type FunctionName, functionNames, functionRow, limitedFunctions } from '../functions.ts';
import { type Names, names } from '../names.ts';
import { CLOUDFRONT_REGION, dashboardNameOf } from '../own-names.ts';
import type { Stage } from '../stage.ts';
import type { Certificates } from './certificates.ts';
import type { DataStack } from './data.ts';

/**
 * Requests per second of each route: API Gateway applies a stage's default to every route separately (API Gateway
 * guide, "Throttle requests to your HTTP APIs"). A flood would use up the limit of a webhook's genuine deliveries, so
 * the limit is far above what one address may send through the firewall.
 */
const THROTTLE = { rateLimit: 1_000, burstLimit: 2_000 };

const routesOf = (name: FunctionName): readonly string[] => {
  const { trigger } = functionRow(name);
  return trigger.kind === 'http' ? trigger.routes : [];
};

/** Routes at which an answer of 5xx, or the gateway's 429, may be a lost lead. */
const LEAD_WEBHOOKS = [...routesOf('receive-crm-a-lead'), ...routesOf('receive-crm-b-notification')];

const isOfDashboard = (name: FunctionName): boolean => {
  const { trigger } = functionRow(name);
  return trigger.kind === 'http' && trigger.isDashboard === true;
};

/** The dashboard's routes, one pattern for each method, because a filter has at most 1,024 characters. */
const DASHBOARD_ROUTES = [
  ...new Set(
    functionNames
      .filter(isOfDashboard)
      .flatMap(routesOf)
      .map((route) => `${route.split(' ')[0]} ${DASHBOARD_PATH}/*`),
  ),
];

/**
 * Answers of 5xx that do not mean that the route fails. If very many calls of one organization are placed at once, some
 * get 503, and their clients retry. A requested analysis answers 502 or 503 if the language model fails; the model's
 * alarms watch finish-call's analyses. Functions that the stage limits answer 503 if too many requests come at once.
 */
const notAFailedRoute = (stage: Stage): Partial<Record<FunctionName, string[]>> => ({
  ...Object.fromEntries([...limitedFunctions(stage), 'place-call'].map((name) => [name, ['503']])),
  'analyze-call': ['502', '503'],
  'repeat-analysis': ['502', '503'],
});

/** The alarms on the access log look back longer than a period, because the lines reach the log a few minutes late. */
const AT_ONCE = { period: Duration.minutes(1), within: 5 };
const IN_FIVE_MINUTES = { period: Duration.minutes(5), within: 2 };

/** Alarms of this stack, by the end of their names. */
const API_FAILED = 'http-5xx';
const LEAD_REFUSED = 'LeadWebhookFailed';
const ROUTE_FAILED = 'RouteFailed';

/** Returns the name of the alarm that rolls back the canary of a function with these routes of the API. */
export function rollbackAlarmOf(routes: readonly string[], { alarm }: Names): string {
  return alarm(routes.some((route) => LEAD_WEBHOOKS.includes(route)) ? LEAD_REFUSED : API_FAILED);
}

/** Returns a part of a filter of JSON lines: the field has one of the values. A trailing `*` matches any text. */
const oneOf = (field: string, values: readonly string[]): string =>
  values.map((value) => `$.${field} = "${value}"`).join(' || ');

const noneOf = (field: string, values: readonly string[]): string[] =>
  values.map((value) => `$.${field} != "${value}"`);

/** Returns the parts of a filter that exclude these answers of functions. */
const without = (answers: Partial<Record<FunctionName, string[]>>): string[] =>
  Object.entries(answers).flatMap(([name, statuses]) =>
    routesOf(name as FunctionName).flatMap((route) =>
      statuses.map((status) => `($.status != "${status}" || $.route != "${route}")`),
    ),
  );

/** The answers in the access log that raise an alarm. */
type Failures = {
  /** The end of the alarm's name, and the metric. */
  metricName: string;
  /** The alarm's id in the stack, if it is not the metric's name. */
  id?: string;
  statuses: readonly string[];
  /** The parts of the filter that select routes, all of which must hold. */
  routes: readonly string[];
  severity: Severity;
  description: string;
  /** The number of answers in a period that raises no alarm yet. */
  threshold: number;
  times: typeof AT_ONCE;
};

/**
 * Fields of the access log: no query string and no headers, because they may carry tokens. `service` becomes the
 * dimension of a metric.
 */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    ...METRIC_DIMENSION,
    request_id: '$context.requestId',
    at: '$context.requestTime',
    // For a request that reaches no function, this is the only log line with its addresses.
    address: '$context.identity.sourceIp',
    route: '$context.routeKey',
    status: '$context.status',
    latency_ms: '$context.responseLatency',
    integration_status: '$context.integration.status',
    integration_error: '$context.integrationErrorMessage',
  }),
);

/** The number of days before the expiry of a certificate by which AWS has renewed it. AWS begins weeks earlier. */
const LEAST_DAYS = 30;

/**
 * The parts with an address: the HTTP API without its routes, and the dashboard's distribution with the bucket of its
 * pages. Deployed before all functions, so that they know these addresses.
 */
export class EdgeStack extends Stack {
  readonly api: HttpApi;
  /** Checks the tokens of the dashboard's members. */
  readonly authorizerId: string;
  /** Base of the addresses given to clients and remote systems. */
  readonly publicUrl: string;
  /** Origin of the dashboard's pages. */
  readonly dashboardUrl: string;
  /** The bucket of the dashboard's pages. */
  readonly pages: Bucket;

  constructor(
    scope: Construct,
    id: string,
    {
      stage,
      data,
      certificates = new Map(),
      ...props
    }: StackProps & { stage: Stage; data: DataStack; certificates?: Certificates },
  ) {
    super(scope, id, props);
    const named = names(stage.name);
    this.api = new HttpApi(this, 'http', { apiName: named.stack('http'), createDefaultStage: false });
    const accessLogGroup = new LogGroup(this, 'access-log', {
      logGroupName: named.accessLog,
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
    for (const [name, arn] of Object.entries(stage.publicNames ?? {})) {
      const certificate = certificates.get(name) ?? this.#ownCertificate(name, arn);
      this.#publicName(name, certificate, stage, httpStage);
      this.#createExpiryAlarm(name, certificate, named, data);
    }
    this.authorizerId = new HttpAuthorizer(this, 'people', {
      httpApi: this.api,
      type: HttpAuthorizerType.JWT,
      authorizerName: 'people',
      identitySource: ['$request.header.Authorization'],
      jwtIssuer: `https://cognito-idp.${this.region}.${this.urlSuffix}/${data.userPool.userPoolId}`,
      jwtAudience: [data.userPoolClient.userPoolClientId],
    }).authorizerId;

    const dashboardName = dashboardNameOf(stage);
    const certificate =
      dashboardName &&
      (certificates.get(dashboardName) ?? this.#ownCertificate(dashboardName, stage.dashboardCertificate ?? ''));
    const { distribution, bucket } = new Site(this, 'site', {
      stage,
      ...(dashboardName && certificate && { domain: { name: dashboardName, certificate } }),
      apiDomain: `${this.api.apiId}.execute-api.${this.region}.${this.urlSuffix}`,
      filesOrigin: stage.filesOrigin ?? `https://${data.files.bucketRegionalDomainName}`,
    });
    this.pages = bucket;
    // An alarm can neither watch a metric of another region nor notify a topic there.
    if (dashboardName && certificate && stage.region === CLOUDFRONT_REGION)
      this.#createExpiryAlarm(dashboardName, certificate, named, data);
    if (dashboardName)
      createAliasRecords(this, new CloudFrontTarget(distribution), { name: dashboardName, stage, hasIpv6: true });
    this.publicUrl = stage.publicUrl ?? this.api.apiEndpoint;
    this.dashboardUrl = stage.dashboardUrl ?? `https://${distribution.distributionDomainName}`;

    this.#createAnswerAlarms(accessLogGroup, named, stage, data);
    this.#countRefusals(accessLogGroup, named);

    new CfnOutput(this, 'ApiId', { value: this.api.apiId });
    new CfnOutput(this, 'ApiEndpoint', { value: this.api.apiEndpoint });
    // The admin CLI reads these outputs, too.
    new CfnOutput(this, 'PublicUrl', { value: this.publicUrl });
    new CfnOutput(this, 'DashboardUrl', { value: this.dashboardUrl });
    new CfnOutput(this, 'DistributionDomain', { value: distribution.distributionDomainName });
  }

  /** Creates the alarms on answers of routes. */
  #createAnswerAlarms(log: LogGroup, named: Names, stage: Stage, data: DataStack): void {
    const harmless = notAFailedRoute(stage);
    const ofApi = Object.fromEntries(Object.entries(harmless).filter(([name]) => !isOfDashboard(name as FunctionName)));
    this.#createAnswerAlarm(log, named, data, {
      // A single 5xx, which clients repeat, rolls back no canary.
      metricName: API_FAILED,
      // The deployed alarm keeps its id: its name cannot belong to two alarms.
      id: 'server-errors',
      statuses: ['5*'],
      routes: [...noneOf('route', [...LEAD_WEBHOOKS, ...DASHBOARD_ROUTES]), ...without(ofApi)],
      severity: 'urgent',
      description: 'Routes of the API answer 5xx. docs/runbooks/alarms.md, "The API answers 5xx".',
      threshold: 1,
      times: IN_FIVE_MINUTES,
    });
    this.#createAnswerAlarm(log, named, data, {
      // CRMs rarely repeat a refused lead, so a single refusal raises the alarm.
      metricName: LEAD_REFUSED,
      statuses: ['5*', '429'],
      routes: [`(${oneOf('route', LEAD_WEBHOOKS)})`],
      severity: 'urgent',
      description: 'A webhook of a CRM refused a lead. docs/runbooks/alarms.md, "A webhook refuses a lead".',
      threshold: 0,
      times: AT_ONCE,
    });
    this.#createAnswerAlarm(log, named, data, {
      metricName: ROUTE_FAILED,
      statuses: ['5*'],
      routes: [...noneOf('route', LEAD_WEBHOOKS), ...without(harmless)],
      severity: 'warning',
      description: 'A route of the API or of the dashboard answers 5xx. docs/runbooks/alarms.md, "A route fails".',
      threshold: 0,
      times: AT_ONCE,
    });
  }

  /** Creates an alarm on a certificate that AWS has not renewed in time, or that only a person can replace. */
  #createExpiryAlarm(name: string, certificate: ICertificate, named: Names, data: DataStack): void {
    createAlarm(this, `${name}-expiry`, data.alarms, certificate.metricDaysToExpiry(), {
      name: named.stack(`${name}-certificate`),
      severity: 'warning',
      description: `The certificate of ${name} expires soon. docs/runbooks/alarms.md, "A certificate expires".`,
      threshold: LEAST_DAYS,
      // AWS sends no value once the certificate has expired.
      raisedIf: 'below and kept',
    });
  }

  /** Creates an alarm on these answers in the access log: API Gateway has no metric of a single route. */
  #createAnswerAlarm(log: LogGroup, named: Names, data: DataStack, failures: Failures): void {
    const { metricName, id = metricName, statuses, routes, severity, description, threshold, times } = failures;
    new MetricFilter(this, `${metricName}-lines`, {
      logGroup: log,
      filterPattern: FilterPattern.literal(`{ (${oneOf('status', statuses)}) && ${routes.join(' && ')} }`),
      metricNamespace: named.metrics,
      metricName,
    });
    const { period, within } = times;
    createAlarm(this, id, data.alarms, new Metric({ namespace: named.metrics, metricName, period, statistic: 'Sum' }), {
      name: named.alarm(metricName),
      severity,
      description,
      threshold,
      within,
    });
  }

  /**
   * Counts the tokens that the authorizer refuses, in the same metric as the refusals by functions. The dimension of
   * that metric is a field of the access log with a fixed value. The gateway's own answers have no integration status
   * ("-", API Gateway guide, "Customize HTTP API access logs"). The dashboard's pages never send an expired token.
   */
  #countRefusals(logGroup: LogGroup, named: Names): void {
    const metricName: MetricName = 'NotAuthenticated';
    const dimensions = Object.fromEntries(Object.keys(METRIC_DIMENSION).map((field) => [field, `$.${field}`]));
    new MetricFilter(this, `${metricName}-lines`, {
      logGroup,
      filterPattern: FilterPattern.literal('{ $.status = "401" && $.integration_status = "-" }'),
      metricNamespace: named.metrics,
      metricName,
      dimensions,
    });
  }

  /**
   * Lets API Gateway answer to a name. The name belongs to the API's stack, so that it survives the functions' stacks.
   */
  #publicName(name: string, certificate: ICertificate, stage: Stage, httpStage: HttpStage): void {
    const domainName = new DomainName(this, name, {
      domainName: name,
      certificate,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new ApiMapping(this, `${name}-mapping`, { api: this.api, domainName, stage: httpStage });
    const { regionalDomainName, regionalHostedZoneId } = domainName;
    createAliasRecords(this, new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId), {
      name,
      stage,
    });
    new CfnOutput(this, `TargetOf-${name}`, { description: name, value: regionalDomainName });
  }

  /** Returns the operator's certificate of a name. */
  #ownCertificate(name: string, arn: string): ICertificate {
    return Certificate.fromCertificateArn(this, `${name}-certificate`, arn);
  }
}
