import { metricNames } from '../../../shared/domain/metric.ts';
import { aClaimedCall } from '../support/call.ts';
import { aReport, callWorld } from '../support/worlds/call-world.ts';
import { ORG } from '../support/worlds/items.ts';
import { alarmsOfAnalyses } from './analyses.ts';
import { alarmsOfCalls, spentInAnHour } from './calls.ts';
import { alarmsOfConnections } from './connections.ts';
import { alarmsOfLeads } from './leads.ts';
import { alarmsOfNotices } from './notices.ts';
import { alarmsOfSessions } from './sessions.ts';

const alarms = [
  ...alarmsOfCalls,
  ...alarmsOfConnections,
  ...alarmsOfLeads,
  ...alarmsOfAnalyses,
  ...alarmsOfNotices,
  ...alarmsOfSessions,
];

it('every metric with an alarm has its two cases here', () => {
  expect(new Set(alarms.map(([metric]) => metric))).toEqual(new Set(metricNames));
});

describe.each(alarms)('the alarm %s', (metric, rings, isSilent, run) => {
  it(`is raised once if ${rings}`, async () => {
    expect((await run(true)).counted).toEqual([metric]);
  });

  it(`is not raised if ${isSilent}`, async () => {
    expect((await run(false)).counted).toEqual([]);
  });
});

it('the alarm UnusualSpend logs the organization, its spend and its usual spend', async () => {
  const { logged } = await spentInAnHour(300_000);
  expect(logged).toContainEqual({
    message: 'an organization uses unusually much credit',
    org_id: ORG,
    credits_of_the_hour: 300,
    credits_of_a_usual_hour: 10,
  });
});

it('the alarm UnitsBeyondHold counts the units that are not charged', async () => {
  const world = callWorld([aClaimedCall({ held: 1_800 })]);
  const counted: unknown[] = [];
  world.deps.count = (...count) => void counted.push(count);
  await Promise.all([world.apply(aReport()), world.apply(aReport())]);
  expect(counted).toEqual([['UnitsBeyondHold', 200]]);
});
