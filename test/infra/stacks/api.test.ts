import { functionNames } from '../../../lib/functions.ts';
import { functionNamed, only, prod } from '../support/stages/prod.ts';
import { triggeredBy } from '../support/triggers.ts';

type Rule = { Name: string; Statement: { RateBasedStatement: { Limit: number } } };

/** Requests from one address in five minutes. */
const limitsOfFirewall = (name: string): number[] =>
  only('AWS::WAFv2::WebACL').Properties.Rules.flatMap(({ Name, Statement }: Rule) =>
    Name === name ? [Statement.RateBasedStatement.Limit] : [],
  );

describe('the API', () => {
  it('has an access log with a retention period', () => {
    const stage = only('AWS::ApiGatewayV2::Stage');
    const log = prod.named(stage, stage.Properties.AccessLogSettings.DestinationArn);
    expect(log?.Properties.RetentionInDays).toBe(90);
    // CloudWatch Logs needs no entry for names below it in the account's policy, whose length is limited.
    expect(log?.Properties.LogGroupName).toBe('/aws/vendedlogs/apigateway/calling-service-prod-http');
  });

  it("limits each route separately from the first deployment on, far above the firewall's limit for one address", () => {
    const stage = only('AWS::ApiGatewayV2::Stage').Properties;
    // API Gateway applies the default to each route, and refuses settings of a route that does not exist yet.
    expect(stage.RouteSettings).toBeUndefined();
    const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = stage.DefaultRouteSettings;
    const [perAddress = 0, ...others] = limitsOfFirewall('webhooks').map((requests) => requests / (5 * 60));
    expect([perAddress > 0, others]).toEqual([true, []]);
    expect(rate).toBeGreaterThanOrEqual(5 * perAddress);
    expect(burst).toBeGreaterThanOrEqual(rate);
  });

  it('logs the addresses of every request, even a refused one, but no query string, header, path or body', () => {
    const format: string = only('AWS::ApiGatewayV2::Stage').Properties.AccessLogSettings.Format;
    const logged = [...format.matchAll(/\$context\.([\w.]+)/g)].map(([, name]) => name);
    const harmless = 'integration.status integrationErrorMessage requestId requestTime responseLatency routeKey status';
    expect(logged.sort().join(' ')).toBe(`identity.sourceIp ${harmless}`);
    expect(JSON.parse(format)).toMatchObject({ address: '$context.identity.sourceIp' });
  });

  it('keeps a route when its function is renamed, because a second route with its key is refused', () => {
    const ids = functionNames.map((name) => name.replaceAll('-', ''));
    const named = prod.ofType('AWS::ApiGatewayV2::Route').filter(({ id }) => ids.some((name) => id.includes(name)));
    expect(named).toEqual([]);
  });

  it('has the routes of the list', () => {
    const routes = prod.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties.RouteKey);
    expect(routes.sort()).toEqual(
      triggeredBy('http')
        .flatMap(({ trigger }) => trigger.routes)
        .sort(),
    );
  });

  it("answers before API Gateway's time-out of 30 seconds", () => {
    for (const { name } of triggeredBy('http')) expect(functionNamed(name).Properties.Timeout).toBeLessThan(30);
  });
});
