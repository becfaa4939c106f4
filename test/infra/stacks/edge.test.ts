import { only } from '../support/stages/prod.ts';

const distribution = () => only('AWS::CloudFront::Distribution').Properties.DistributionConfig;

describe('the API', () => {
  it('has a firewall in front of its distribution if the stage sets it', () => {
    const acl = only('AWS::WAFv2::WebACL');
    expect(distribution().WebACLId).toEqual({ 'Fn::GetAtt': [acl.id, 'Arn'] });
    // biome-ignore lint/suspicious/noExplicitAny: rules of the template
    const rules: any[] = acl.Properties.Rules;
    expect([acl.Properties.Scope, rules.map(({ Priority }) => Priority)]).toEqual([
      'CLOUDFRONT',
      [0, 1, 2, 3, 4, 5, 6],
    ]);
    const limits = rules.flatMap(({ Name, Action, Statement: { RateBasedStatement: limit } }) =>
      limit ? [[Name, limit.Limit, limit.AggregateKeyType, Object.keys(Action)[0]]] : [],
    );
    expect(limits).toEqual([
      ['requests', 3_000, 'IP', 'Block'],
      ['webhooks', 60_000, 'IP', 'Block'],
      ['sessions', 500, 'IP', 'Block'],
    ]);
    expect(rules.flatMap(({ Statement }) => Statement.SizeConstraintStatement?.Size ?? [])).toEqual([8_192]);
    expect(rules.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement?.Name ?? [])).toEqual([
      'AWSManagedRulesCommonRuleSet',
      'AWSManagedRulesKnownBadInputsRuleSet',
      'AWSManagedRulesAmazonIpReputationList',
    ]);
    // AWS's own limit of queries is 2,048 bytes (AWS WAF guide, "Baseline rule groups").
    const [common] = rules.filter(({ Name }) => Name === 'AWSManagedRulesCommonRuleSet');
    const { RuleActionOverrides } = common.Statement.ManagedRuleGroupStatement;
    expect(RuleActionOverrides).toContainEqual({ Name: 'SizeRestrictions_QUERYSTRING', ActionToUse: { Count: {} } });
    // Prompts and documents may contain markup, paths such as ../.., and addresses such as http://192.168.1.1.
    for (const attack of ['CrossSiteScripting', 'GenericLFI', 'GenericRFI', 'EC2MetaDataSSRF'])
      expect(RuleActionOverrides).toContainEqual({ Name: `${attack}_BODY`, ActionToUse: { Count: {} } });
    for (const { VisibilityConfig } of rules) expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
    // A token proves a delivery, so no rule about addresses or contents may refuse it.
    for (const { Name, Statement } of rules.filter(
      ({ Name }) => !['webhooks', 'sessions', 'long-queries'].includes(Name),
    ))
      expect([Name, JSON.stringify(Statement)]).toEqual([
        Name,
        expect.stringMatching(/"ScopeDownStatement":{"NotStatement":.*"SearchString":"\/api\/webhooks\/"/),
      ]);
  });
});

describe('the dashboard', () => {
  it('allows its pages only scripts, styles and connections of their own', () => {
    const { SecurityHeadersConfig, CustomHeadersConfig } = only('AWS::CloudFront::ResponseHeadersPolicy').Properties
      .ResponseHeadersPolicyConfig;
    const csp = JSON.stringify(SecurityHeadersConfig.ContentSecurityPolicy.ContentSecurityPolicy);
    for (const directive of [
      "default-src 'none'",
      "script-src 'self';",
      "style-src 'self';",
      "connect-src 'self';",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      expect(csp).toContain(directive);
    expect(csp).not.toMatch(/unsafe|'data:|\*/);
    expect(SecurityHeadersConfig).toMatchObject({
      ContentTypeOptions: { Override: true },
      FrameOptions: { FrameOption: 'DENY' },
      ReferrerPolicy: { ReferrerPolicy: 'same-origin' },
      StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000 },
    });
    expect(CustomHeadersConfig.Items.map(({ Header }: { Header: string }) => Header)).toEqual([
      'cross-origin-opener-policy',
      'cross-origin-resource-policy',
      'permissions-policy',
    ]);
  });

  it("passes the API's answers on unchanged, and never caches them", () => {
    const { CacheBehaviors, CustomErrorResponses, DefaultCacheBehavior } = distribution();
    expect(CustomErrorResponses).toBeUndefined();
    expect(DefaultCacheBehavior.ResponseHeadersPolicyId).toBeDefined();
    const [disabled, allButHost] = ['4135ea2d-6df8-44a3-9df3-4b5a84be39ad', 'b689b0a8-53d0-40ab-baf2-68738e2966ac'];
    expect(CacheBehaviors).toMatchObject(
      ['/api/*', '/v1/*', '/openapi.json'].map((PathPattern) => ({
        PathPattern,
        CachePolicyId: disabled,
        OriginRequestPolicyId: allButHost,
        AllowedMethods: expect.arrayContaining(['PATCH', 'DELETE']),
        ViewerProtocolPolicy: 'https-only',
      })),
    );
  });
});
