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
import type { Construct } from 'constructs';
import { METRIC_DIMENSION, type MetricName } from '../../shared/domain/metric.ts';
import { createAlarm, type Severity } from '../constructs/alarm.ts';
import { createAliasRecords } from '../constructs/alias-records.ts';
import { Site } from '../constructs/site.ts';
import { type FunctionName, functionRow } from '../functions.ts';
import { type Names, names } from '../names.ts';
import { CLOUDFRONT_REGION, dashboardNameOf } from '../own-names.ts';
import type { Stage } from '../stage.ts';
import type { Certificates } from './certificates.ts';
import type { DataStack } from './data.ts';

/**
 * Requests per second of each route: API Gateway applies a stage's default to every route separately (API Gateway
 * guide, "Throttle requests to your HTTP APIs"). It counts genuine deliveries of a webhook with a flood, so the limit
 * is far above what one address may send through the firewall.
 */
const THROTTLE = { rateLimit: 1_000, burstLimit: 2_000 };

const routesOf = (name: FunctionName): readonly string[] => {
  const { trigger } = functionRow(name);
  return trigger.kind === 'http' ? trigger.routes : [];
};

/** Routes at which an answer of 5xx, or the gateway's 429, may be a lost lead. */
const LEAD_WEBHOOKS = [...routesOf('receive-crm-a-lead'), ...routesOf('receive-crm-b-notification')];

const answering = (name: FunctionName, ...statuses: string[]) =>
  routesOf(name).flatMap((route) => statuses.map((status) => ({ route, status })));

/**
 * Answers of 5xx that do not mean that the route fails. If very many calls of one organization are placed at once, some
 * get 503, and their clients retry. A requested analysis answers 502 or 503 if the language model fails; the model's
 * alarms watch finish-call's analyses.
 */
const NOT_A_FAILED_ROUTE = [
  ...answering('place-call', '503'),
  ...answering('analyze-call', '502', '503'),
  ...answering('repeat-analysis', '502', '503'),
];

/** The minutes that an alarm on the access log looks back, because the lines reach the log up to some minutes late. */
const LOG_MINUTES = 5;

/** Alarms of this stack, by the end of their names. */
const SERVER_ERRORS = 'http-5xx';
const LEAD_REFUSED = 'LeadWebhookFailed';
const ROUTE_FAILED = 'RouteFailed';

/** Returns the names of the alarms that these routes of one function raise if they fail. */
export function alarmsOfRoutes(routes: readonly string[], { alarm }: Names): string[] {
  const takesLeads = routes.some((route) => LEAD_WEBHOOKS.includes(route));
  return [SERVER_ERRORS, takesLeads ? LEAD_REFUSED : ROUTE_FAILED].map(alarm);
}

/** A part of a filter of JSON lines: the field has one of the values. A trailing `*` matches any text. */
const oneOf = (field: string, values: readonly string[]): string =>
  values.map((value) => `$.${field} = "${value}"`).join(' || ');

/** The answers in the access log that raise an alarm. */
type Failures = {
  metricName: string;
  statuses: readonly string[];
  /** The part of the filter that selects routes. */
  routes: string;
  severity: Severity;
  description: string;
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

/** The days before its end by which AWS has renewed a certificate. It begins weeks earlier. */
const LEAST_DAYS = 30;

/**
 * The parts with an address: the HTTP API without its routes, and the dashboard's pages. Deployed before all functions,
 * so that they know these addresses.
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
    {
      stage,
      data,
      site,
      certificates = new Map(),
      ...props
    }: StackProps & { stage: Stage; data: DataStack; site: string; certificates?: Certificates },
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
    const { distribution } = new Site(this, 'site', {
      stage,
      ...(dashboardName && certificate && { domain: { name: dashboardName, certificate } }),
      folder: site,
      apiDomain: `${this.api.apiId}.execute-api.${this.region}.${this.urlSuffix}`,
      filesOrigin: stage.filesOrigin ?? `https://${data.files.bucketRegionalDomainName}`,
    });
    // An alarm can neither watch a metric of another region nor notify a topic there.
    if (dashboardName && certificate && stage.region === CLOUDFRONT_REGION)
      this.#createExpiryAlarm(dashboardName, certificate, named, data);
    if (dashboardName)
      createAliasRecords(this, new CloudFrontTarget(distribution), { name: dashboardName, stage, hasIpv6: true });
    this.publicUrl = stage.publicUrl ?? this.api.apiEndpoint;
    this.dashboardUrl = stage.dashboardUrl ?? `https://${distribution.distributionDomainName}`;

    createAlarm(
      this,
      'server-errors',
      data.alarms,
      this.api.metricServerError({ period: Duration.minutes(5), statistic: 'Sum' }),
      {
        name: named.alarm(SERVER_ERRORS),
        severity: 'urgent',
        description: 'The API answers 5xx. docs/runbooks/alarms.md, "The API answers 5xx".',
        threshold: 4,
      },
    );
    this.#createAnswerAlarm(accessLogGroup, named, data, {
      // CRMs rarely repeat a refused lead, so a single refusal raises the alarm.
      metricName: LEAD_REFUSED,
      statuses: ['5*', '429'],
      routes: `(${oneOf('route', LEAD_WEBHOOKS)})`,
      severity: 'urgent',
      description: 'A webhook of a CRM refused a lead. docs/runbooks/alarms.md, "A webhook refuses a lead".',
    });
    this.#createAnswerAlarm(accessLogGroup, named, data, {
      metricName: ROUTE_FAILED,
      statuses: ['5*'],
      routes: [
        ...LEAD_WEBHOOKS.map((route) => `$.route != "${route}"`),
        ...NOT_A_FAILED_ROUTE.map(({ route, status }) => `($.status != "${status}" || $.route != "${route}")`),
      ].join(' && '),
      severity: 'warning',
      description: 'A route of the API or of the dashboard answers 5xx. docs/runbooks/alarms.md, "A route fails".',
    });

    this.#countRefusals(accessLogGroup, named);

    new CfnOutput(this, 'ApiId', { value: this.api.apiId });
    new CfnOutput(this, 'ApiEndpoint', { value: this.api.apiEndpoint });
    // The admin CLI reads these outputs, too.
    new CfnOutput(this, 'PublicUrl', { value: this.publicUrl });
    new CfnOutput(this, 'DashboardUrl', { value: this.dashboardUrl });
    new CfnOutput(this, 'DistributionDomain', { value: distribution.distributionDomainName });
  }

  /** Creates an alarm on a certificate that AWS has not renewed in time, or that only a person can replace. */
  #createExpiryAlarm(name: string, certificate: ICertificate, named: Names, data: DataStack): void {
    createAlarm(this, `${name}-expiry`, data.alarms, certificate.metricDaysToExpiry(), {
      name: named.stack(`${name}-certificate`),
      severity: 'warning',
      description: `The certificate of ${name} expires soon. docs/runbooks/alarms.md, "A certificate expires".`,
      threshold: LEAST_DAYS,
      raisedIf: 'below',
      // AWS sends no value once the certificate has expired.
      waitsForValue: true,
    });
  }

  /** Creates an alarm on each of these answers in the access log: API Gateway has no metric of a single route. */
  #createAnswerAlarm(log: LogGroup, named: Names, data: DataStack, failures: Failures): void {
    const { metricName, statuses, routes, severity, description } = failures;
    new MetricFilter(this, `${metricName}-lines`, {
      logGroup: log,
      filterPattern: FilterPattern.literal(`{ (${oneOf('status', statuses)}) && ${routes} }`),
      metricNamespace: named.metrics,
      metricName,
    });
    const period = Duration.minutes(1);
    createAlarm(
      this,
      metricName,
      data.alarms,
      new Metric({ namespace: named.metrics, metricName, period, statistic: 'Sum' }),
      { name: named.alarm(metricName), severity, description, threshold: 0, within: LOG_MINUTES },
    );
  }

  /**
   * Counts the tokens that the authorizer refuses, in the same metric in which functions count refusals, which needs a
   * fixed field as its dimension. The gateway's own answers have no integration status ("-", API Gateway guide,
   * "Customize HTTP API access logs"). The dashboard's pages never send an expired token.
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
   * Lets API Gateway answer to a name. It belongs to the API's stack, not to the functions' stacks, so that it survives
   * them.
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

  /** The operator's certificate of a name. */
  #ownCertificate(name: string, arn: string): ICertificate {
    return Certificate.fromCertificateArn(this, `${name}-certificate`, arn);
  }
}
