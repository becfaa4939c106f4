import { terminalStatuses } from '../../../shared/domain/calls/call-status.ts';
import { idleOf, unknownTypes } from '../../bench/cost/idle.ts';
import { costOf } from '../../bench/cost/prices.ts';
import { idleRows, pricesTable, runsRow } from '../../bench/cost/tables.ts';
import { read } from '../support/sources.ts';
import { disposable } from '../support/stages/disposable.ts';
import { functionNamed, only, prod } from '../support/stages/prod.ts';

describe('the memory of a function', () => {
  /** The measured table of docs/cost.md: name, MB of its row, and its highest use. */
  const measured = () =>
    [...read('docs/cost.md').matchAll(/^\| `([\w-]+)` \| (\d+) \| (\d+) \|/gm)].map(
      ([, name = '', mb, most]) => [name, Number(mb), Number(most)] as const,
    );

  it('is at least 1.5 times its highest use', () => {
    expect(measured().length).toBeGreaterThan(20);
    expect(measured().filter(([, mb, most]) => most === 0 || mb < 1.5 * most)).toEqual([]);
  });

  it('is the same in docs/cost.md and in the templates', () => {
    const ofTemplate = (name: string) => functionNamed(name).Properties.MemorySize;
    expect(measured().filter(([name, mb]) => ofTemplate(name) !== mb)).toEqual([]);
  });
});

describe('the cost of a million requests', () => {
  it.each([
    ['place-call', 7.5],
    ['receive-crm-a-lead', 2],
    ['receive-crm-b-notification', 2],
  ])('to %s is at most %d dollars without logs', (name, most) => {
    const rows = read('docs/cost.md').split('\n');
    const row = rows.find((line) => line.startsWith('| ') && line.includes(`(\`${name}\`)`));
    const withoutLogs = Number(row?.split('|').at(-3));
    expect(withoutLogs).toBeGreaterThan(1);
    expect(withoutLogs).toBeLessThanOrEqual(most);
  });
});

describe('the cost of an idle stage', () => {
  it('is the same in docs/cost.md and in the templates', () => {
    const idle = idleOf(prod);
    const page = read('docs/cost.md');
    const expected = [
      ...idleRows(idle),
      ...Object.entries(idle.runs).map(([name, runs]) => runsRow(name, runs)),
      ...pricesTable().split('\n'),
    ];
    expect(expected.filter((row) => !page.includes(row))).toEqual([]);
  });

  it('is at most 15 dollars a month beyond the free tier of every account, with the runs of schedules', () => {
    const [, list = '', beyond = ''] =
      /^\| \*\*in all\*\* \| {2}\| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\* \|$/m.exec(read('docs/cost.md')) ?? [];
    // The document's sum matches the templates.
    expect(Number(beyond)).toBeGreaterThanOrEqual(costOf(idleOf(prod).bill, true) - 0.005);
    expect(Number(list)).toBeGreaterThanOrEqual(costOf(idleOf(prod).bill) - 0.005);
    expect(Number(beyond)).toBeLessThanOrEqual(15);
  });

  it('is 40 cents higher for the metrics of an alarm if costly functions are limited', () => {
    const [alarm] = disposable
      .ofType('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => Properties.AlarmName.endsWith('-throttles'));
    const watched = alarm?.Properties.Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat);
    expect(costOf({ alarms: watched.length - 1 })).toBeCloseTo(0.4);
    expect(read('docs/cost.md')).toContain('`costlyAtOnce` costs 0.40 dollars a month');
  });

  it('includes a dashboard that is free, because it shows at most 50 metrics', () => {
    const { 'Fn::Join': [, parts = []] = [] } = only('AWS::CloudWatch::Dashboard').Properties.DashboardBody;
    const { widgets } = JSON.parse(parts.map((part: unknown) => (typeof part === 'string' ? part : 'x')).join(''));
    const shown = widgets.flatMap(
      ({ properties }: { properties: { metrics?: unknown[] } }) => properties.metrics ?? [],
    );
    expect(shown.length).toBeGreaterThan(20);
    // The search finds one metric for each status of an ended call.
    expect(shown.length - 1 + terminalStatuses.length).toBeLessThanOrEqual(50);
  });

  it('includes every kind of resource, except the firewall, which is an option', () => {
    expect(unknownTypes(prod)).toEqual(['AWS::WAFv2::WebACL']);
    expect(read('docs/cost.md')).toContain('`webFirewall`');
  });
});
