import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { names } from '../names.ts';
import type { Stage } from '../stage.ts';

/** The limit of requests from one address in five minutes. Tens of people in an office may share an address. */
const MAX_REQUESTS = 3_000;
/** The limit for the sign-in, which strangers also try. */
const MAX_ATTEMPTS = 500;
/**
 * The limit for webhooks, 200 a second: a vendor posts for all its customers from a few addresses, and counts each
 * refusal.
 */
const MAX_WEBHOOK_REQUESTS = 60_000;
const WEBHOOKS = '/api/webhooks/';
/** The longest query string that is allowed. */
const MAX_QUERY_BYTES = 8 * 1024;

/** AWS's rules on the contents of bodies. */
const ON_BODIES = ['CrossSiteScripting', 'GenericLFI', 'GenericRFI', 'EC2MetaDataSSRF'].map(
  (attack) => `${attack}_BODY`,
);

/**
 * AWS's rules. Some of them only count requests: the one on queries, whose limit of 2,048 bytes is below ours, and
 * those on bodies. Knowledge files and prompts are long and may contain markup, paths and addresses, such as that of a
 * router; the service opens none of them, and itself checks the address of a callback. Webhooks are exempt from all of
 * the rules: a transcript may look like an attack, and tokens or signatures authenticate deliveries.
 */
const managed = [
  {
    name: 'AWSManagedRulesCommonRuleSet',
    counted: ['SizeRestrictions_BODY', 'SizeRestrictions_QUERYSTRING', ...ON_BODIES],
  },
  { name: 'AWSManagedRulesKnownBadInputsRuleSet', counted: [] },
  { name: 'AWSManagedRulesAmazonIpReputationList', counted: [] },
];

/**
 * The rules of AWS WAF in front of the dashboard's distribution (docs/deploy.md, "Limit strangers"). A web ACL
 * of CloudFront exists in us-east-1 only.
 */
export class WebFirewall extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const metric = (metricName: string) => ({
      metricName,
      cloudWatchMetricsEnabled: true,
      // Samples contain headers, and therefore tokens.
      sampledRequestsEnabled: false,
    });
    const perAddress = (name: string, limit: number, scope: Scope) => ({
      name,
      action: { block: { customResponse: { responseCode: 429 } } },
      visibilityConfig: metric(name),
      statement: {
        rateBasedStatement: { limit, aggregateKeyType: 'IP', scopeDownStatement: scope },
      },
    });
    const rules = [
      perAddress('requests', MAX_REQUESTS, except(WEBHOOKS)),
      perAddress('webhooks', MAX_WEBHOOK_REQUESTS, startsWith(WEBHOOKS)),
      perAddress('sessions', MAX_ATTEMPTS, startsWith('/api/dashboard/session')),
      {
        name: 'long-queries',
        action: { block: {} },
        visibilityConfig: metric('long-queries'),
        statement: {
          sizeConstraintStatement: {
            fieldToMatch: { queryString: {} },
            comparisonOperator: 'GT',
            size: MAX_QUERY_BYTES,
            textTransformations: [{ priority: 0, type: 'NONE' }],
          },
        },
      },
      ...managed.map(({ name, counted }) => ({
        name,
        overrideAction: { none: {} },
        visibilityConfig: metric(name),
        statement: {
          managedRuleGroupStatement: {
            vendorName: 'AWS',
            name,
            scopeDownStatement: except(WEBHOOKS),
            ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
          },
        },
      })),
    ];
    this.arn = new CfnWebACL(this, 'rules', {
      name: names(stage.name).stack('firewall'),
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: metric('all'),
      rules: rules.map((rule, priority) => ({ ...rule, priority })),
    }).attrArn;
  }
}

type Scope = ReturnType<typeof startsWith> | ReturnType<typeof except>;

const startsWith = (path: string) => ({
  byteMatchStatement: {
    fieldToMatch: { uriPath: {} },
    positionalConstraint: 'STARTS_WITH',
    searchString: path,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

const except = (path: string) => ({ notStatement: { statement: startsWith(path) } });
