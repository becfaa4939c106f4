import { type FunctionName, functionNames } from '../../../lib/functions.ts';
import { disposable } from '../support/stages/disposable.ts';
import { alarmNamed, only, prod } from '../support/stages/prod.ts';
import type { Resource } from '../support/synthesize.ts';
import { isOfDashboard, routesOf, takesLeads } from '../support/triggers.ts';

describe('every alarm', () => {
  /** Lines reach the access log up to some minutes late, and an alarm does not look at a period again. */
  const lookingBack = { Period: 60, EvaluationPeriods: 5, DatapointsToAlarm: 1 };

  /** The access log filter that feeds a metric, and the routes that it names. */
  function failuresIn(metric: string, app = prod) {
    const filter = app
      .ofType('AWS::Logs::MetricFilter')
      .find(({ Properties }) => Properties.MetricTransformations[0].MetricName === metric) as Resource;
    const { FilterPattern, MetricTransformations, LogGroupName } = filter.Properties;
    expect(app.named(filter, LogGroupName)?.Properties.LogGroupName).toContain('/aws/vendedlogs/');
    const found = [...FilterPattern.matchAll(/\$\.route !?= "([^"]+)"/g)];
    return { FilterPattern, MetricTransformations, routes: found.map(([, route]): string => route) };
  }

  it('of the webhooks of CRMs is raised with the first answer that may be a lost lead', () => {
    const { FilterPattern, MetricTransformations, routes } = failuresIn('LeadWebhookFailed');
    const leads: FunctionName[] = ['receive-crm-a-lead', 'receive-crm-b-notification'];
    expect(routes).toEqual(leads.flatMap(routesOf));
    expect(FilterPattern).toMatch(/^\{ \(\$\.status = "5\*" \|\| \$\.status = "429"\) && \(.*\) \}$/);
    const [{ MetricNamespace, MetricName, MetricValue }] = MetricTransformations;
    expect([MetricNamespace, MetricValue]).toEqual(['CallingService/prod', '1']);
    expect(alarmNamed('LeadWebhookFailed').Properties).toMatchObject({
      Namespace: MetricNamespace,
      MetricName,
      Threshold: 0,
      ...lookingBack,
    });
  });

  /** Applies a filter of JSON lines, without nested parentheses, to a line of the access log. */
  function isCounted(pattern: string, line: Readonly<Record<string, string>>): boolean {
    const results = pattern.slice(2, -2).replace(/\$\.(\w+) (!?=) "([^"]*)"/g, (_, field, operator, value) => {
      const found = line[field] ?? '';
      const isEqual = value.endsWith('*') ? found.startsWith(value.slice(0, -1)) : found === value;
      return String(isEqual === (operator === '='));
    });
    const isAny = (text: string) => text.split(' || ').some((one) => one.split(' && ').every((all) => all === 'true'));
    return isAny(results.replace(/\(([^()]*)\)/g, (_, inner) => String(isAny(inner))));
  }

  /** Answers that do not mean that their route fails, because the client repeats the request. */
  const harmless: Partial<Record<FunctionName, string[]>> = {
    'place-call': ['503'],
    'analyze-call': ['502', '503'],
    'repeat-analysis': ['502', '503'],
  };
  const statuses = ['200', '429', '500', '502', '503', '504'];

  /** Checks which answers of each route a filter of the access log counts. */
  function expectCounted(pattern: string, failuresOf: (name: FunctionName) => string[]): void {
    for (const name of functionNames)
      for (const route of routesOf(name)) {
        const counted = statuses.filter((status) => isCounted(pattern, { route, status }));
        expect([route, counted]).toEqual([route, failuresOf(name)]);
      }
    // The CloudWatch Logs API's limit.
    expect(pattern.length).toBeLessThanOrEqual(1024);
  }

  const failuresOf = (name: FunctionName, excepted = harmless) =>
    takesLeads(name) ? [] : ['500', '502', '503', '504'].filter((status) => !excepted[name]?.includes(status));

  it('of routes is raised with the first 5xx, except for CRM webhooks and answers that clients repeat', () => {
    const { FilterPattern, MetricTransformations } = failuresIn('RouteFailed');
    expectCounted(FilterPattern, failuresOf);
    const [{ MetricNamespace, MetricName }] = MetricTransformations;
    expect(alarmNamed('RouteFailed').Properties).toMatchObject({
      Namespace: MetricNamespace,
      MetricName,
      Threshold: 0,
      ...lookingBack,
    });
  });

  it('of the API, which rolls its canaries back, needs two 5xx of the API’s own routes, not counting answers that clients repeat', () => {
    const { FilterPattern, MetricTransformations } = failuresIn('http-5xx');
    expectCounted(FilterPattern, (name) => (isOfDashboard(name) ? [] : failuresOf(name)));
    const [{ MetricNamespace, MetricName, MetricValue }] = MetricTransformations;
    expect(MetricValue).toBe('1');
    // Two alarms cannot have one name, so the alarm of a deployed stage must be changed in place.
    expect(alarmNamed('http-5xx').id).toMatch(/^servererrors/);
    expect(alarmNamed('http-5xx').Properties).toMatchObject({
      ...{ Namespace: MetricNamespace, MetricName, Statistic: 'Sum' },
      ...{ Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
      ...{ Period: 300, EvaluationPeriods: 2, DatapointsToAlarm: 1 },
      AlarmDescription: expect.stringMatching(/^Urgent: /),
    });
  });

  it('of routes ignores the 503 of functions that a stage limits', () => {
    const limited = { ...harmless, 'upload-knowledge': ['503'], 'add-knowledge': ['503'] };
    for (const [metric, ofAll] of [
      ['RouteFailed', true],
      ['http-5xx', false],
    ] as const)
      expectCounted(failuresIn(metric, disposable).FilterPattern, (name) =>
        isOfDashboard(name) && !ofAll ? [] : failuresOf(name, limited),
      );
  });

  it('of unauthenticated requests counts the gateway’s refusals in the metric of the functions', () => {
    const { FilterPattern, MetricTransformations } = failuresIn('NotAuthenticated');
    expect(FilterPattern).toBe('{ $.status = "401" && $.integration_status = "-" }');
    const [{ MetricNamespace, MetricName, MetricValue, Dimensions }] = MetricTransformations;
    expect([MetricValue, Dimensions]).toEqual(['1', [{ Key: 'service', Value: '$.service' }]]);
    const { AccessLogSettings } = only('AWS::ApiGatewayV2::Stage').Properties;
    const { service, status, integration_status } = JSON.parse(AccessLogSettings.Format);
    expect([status, integration_status]).toEqual(['$context.status', '$context.integration.status']);
    expect(alarmNamed('NotAuthenticated').Properties).toMatchObject({
      Namespace: MetricNamespace,
      MetricName,
      Dimensions: [{ Name: 'service', Value: service }],
      Statistic: 'Sum',
      Period: 300,
      Threshold: 100,
    });
  });
});
