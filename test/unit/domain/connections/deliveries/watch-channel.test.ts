import fc from 'fast-check';
import type { Connection } from '../../../../../shared/domain/connections/connection.ts';
import {
  beforeOwnWrites,
  catchUpSpan,
  channelExpiry,
  continuedFrom,
  coveredUntil,
  credibleSentAt,
  earliestUndelivered,
  formerTokenUntil,
  gapStart,
  givenUpSince,
  isChannelOf,
  isLeavingDue,
  isOfFormerConsent,
  isRenewalDue,
  notifyUrlOf,
  silenceSpan,
  undeliveredSince,
  wantedSince,
} from '../../../../../shared/domain/connections/deliveries/watch-channel.ts';
import { catchUpEventId, newChannelId } from '../../../../../shared/domain/ids.ts';
import { secondsAfter, secondsBetween } from '../../../../../shared/domain/time/instants.ts';
import { istDay } from '../../../../../shared/domain/time/ist-day.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aConnection, aGrant } from '../../../support/worlds/items.ts';

const NOW = new Date('2026-03-02T06:00:00.000Z');
const DAY = 86_400;
const at = (seconds: number) => secondsAfter(NOW, seconds);
const grantedAt = (granted_at: string) => ({ grant: aGrant({ granted_at }) });
const connection = (over: Partial<Connection>) => aConnection({ ...grantedAt(at(-30 * DAY)), ...over });
const armed = (seconds: number) => ({ channel: { id: '1', armed_at: at(seconds), expires_at: at(seconds + 6 * DAY) } });

const ago = fc.integer({ min: -10 * DAY, max: 0 }).map(at);
const anyChannel = ago.map((armed_at) => ({ id: '1', armed_at, expires_at: armed_at }));
const anyGrant = ago.map((granted_at) => aGrant({ granted_at }));
const anyConnection = fc
  .record({ last_delivery_at: ago, channel: anyChannel, grant: anyGrant }, { requiredKeys: [] })
  .map(connection);

describe("a channel's life", () => {
  it('is six whole days', () => {
    expect(channelExpiry(NOW).toISOString()).toBe(at(6 * DAY));
  });

  it('is extended when less than three days are left', () => {
    expect(isRenewalDue(at(3 * DAY), NOW)).toBe(false);
    expect(isRenewalDue(at(3 * DAY - 1), NOW)).toBe(true);
    expect(isRenewalDue(at(-1), NOW)).toBe(true);
  });
});

describe('a channel', () => {
  it('that is armed again leaves its former token valid for ten minutes', () => {
    expect(formerTokenUntil(NOW)).toBe(at(600));
  });

  it.each([
    ['armed before the consent', { ...armed(-61), ...grantedAt(at(-60)) }, true],
    ['armed at the consent', { ...armed(-60), ...grantedAt(at(-60)) }, false],
    ['armed after the consent', { ...armed(-59), ...grantedAt(at(-60)) }, false],
    ['not armed', grantedAt(at(-60)), false],
    ['armed without a consent', { ...armed(-60), grant: undefined }, false],
  ])('that was %s belongs to a former consent: %j', (_what, over, isFormer) => {
    expect(isOfFormerConsent(connection(over))).toBe(isFormer);
  });
});

describe('a notification', () => {
  it('may report changes of the last 15 minutes', () => {
    expect(earliestUndelivered(NOW)).toBe(at(-900));
  });

  it.each([
    [at(0), true],
    [at(0.001), false],
    [at(-DAY), true],
    [at(-DAY - 0.001), false],
    [undefined, false],
  ])('sent at %s by its own account is credible: %s', (sentAt, isCredible) => {
    expect(credibleSentAt(sentAt, NOW)).toBe(isCredible ? sentAt : undefined);
  });
});

describe('a lead that is left to the catch-up', () => {
  const from = at(-3600);
  it.each([
    ['no gap is stored', {}, true],
    ['no gap is stored, although a lead was left just now', { catch_up_to: at(0) }, true],
    ['the gap begins later', { catch_up_from: at(-3599), catch_up_to: at(0) }, true],
    ['the gap begins then, and a lead was left 30 s ago', { catch_up_from: from, catch_up_to: at(-30) }, false],
    ['the gap begins before, and a lead was left just now', { catch_up_from: at(-3601), catch_up_to: at(0) }, false],
    ['the last lead was left longer ago', { catch_up_from: from, catch_up_to: at(-30.001) }, true],
    ['no lead was left', { catch_up_from: from }, true],
  ])('is recorded if %s: %j', (_where, stored, isDue) => {
    expect(isLeavingDue(stored, from, NOW)).toBe(isDue);
  });

  it('is covered by a query that ends a minute later', () => {
    expect(coveredUntil(NOW)).toBe(at(-60));
  });
});

describe("a channel's address", () => {
  it('names the connection', () => {
    expect(notifyUrlOf('https://svc.example', 'conn_1')).toBe('https://svc.example/api/webhooks/crm-b/conn_1');
  });

  it.each([
    ['https://svc.example/api/webhooks/crm-b/conn_1', true],
    ['https://old.example/api/webhooks/crm-b/conn_1', true],
    ['https://svc.example/api/webhooks/crm-b/conn_2', false],
    ['https://svc.example/api/webhooks/crm-b/conn_11', false],
    ['nowhere', false],
  ])('%s belongs to conn_1: %s', (url, belongs) => {
    expect(isChannelOf('conn_1', url)).toBe(belongs);
  });
});

it("a channel's id is safe as a JSON number, and no channel of the same instant has it", () => {
  const ids = Array.from({ length: 2_000 }, () => newChannelId());
  for (const id of ids) {
    expect(id).toMatch(/^[1-8]\d{15}$/);
    expect(String(JSON.parse(id))).toBe(id);
  }
  expect(new Set(ids).size).toBe(ids.length);
});

describe('a gap', () => {
  it('begins at the last proof of delivery', () => {
    expect(gapStart(connection({}), NOW)).toBe(at(-30 * DAY));
    expect(gapStart(connection({ last_delivery_at: at(-600), ...armed(-900) }), NOW)).toBe(at(-900));
    expect(gapStart(connection({ last_delivery_at: at(-900), ...armed(-600) }), NOW)).toBe(at(-600));
    expect(gapStart(connection({ ...grantedAt(at(-60)), last_delivery_at: at(-900) }), NOW)).toBe(at(-60));
    expect(gapStart(connection({ grant: undefined }), NOW)).toBe(at(-2 * DAY));
  });

  it('begins before a consent that replaces another one', () => {
    const one = connection({ ...grantedAt(at(-60)), last_delivery_at: at(-1200), ...armed(-DAY) });
    expect(gapStart(one, NOW)).toBe(at(-2100));
  });

  it('contains earlier changes that the last delivery may have overtaken', () => {
    expect(gapStart(connection({ last_delivery_at: at(-3600), ...armed(-DAY) }), NOW)).toBe(at(-3600 - 15 * 60));
  });

  it.each([
    [-2 * DAY + 901, -2 * DAY + 1],
    [-2 * DAY + 899, -2 * DAY],
    [-2 * DAY - 60, -2 * DAY],
    [-2 * DAY - 61, -2 * DAY - 1],
    [-3 * DAY, -3 * DAY + 60],
  ])(
    'contains no overtaken changes that are too old, so after a delivery at %s s it begins at %s s',
    (delivery, start) => {
      expect(gapStart(connection({ last_delivery_at: at(delivery) }), NOW)).toBe(at(start));
    },
  );

  it('extends until now, or to a later arming plus a minute for the clock of the CRM', () => {
    const open = catchUpSpan(at(-3600), connection(armed(-3600)), NOW, false);
    expect(open).toEqual({ from: new Date(at(-3600)), to: NOW, isClosed: false });
    const closed = catchUpSpan(at(-3600), connection(armed(-10)), NOW, false);
    expect(closed).toEqual({ from: new Date(at(-3600)), to: new Date(at(50)), isClosed: true });
    expect(catchUpSpan(at(-3600), connection({}), NOW, false).isClosed).toBe(false);
  });

  it('ends now if the channel is known to deliver, together with any later gap', () => {
    const from = new Date(at(-60));
    for (const channel of [armed(-3600), armed(-10)])
      expect(catchUpSpan(at(-60), connection(channel), NOW, true)).toEqual({ from, to: NOW, isClosed: true });
  });

  it('is caught up on for at most two days', () => {
    expect(catchUpSpan(at(-3 * DAY), connection(armed(-10)), NOW, false).from.toISOString()).toBe(at(-2 * DAY));
  });

  it('gives each lead one event in every run', () => {
    const id = catchUpEventId('c', '1', at(0), at(1));
    expect(catchUpEventId('c', '1', at(0), at(1))).toBe(id);
    const others = [
      catchUpEventId('c', '2', at(0), at(1)),
      catchUpEventId('d', '1', at(0), at(1)),
      catchUpEventId('c', '1', at(1), at(1)),
      catchUpEventId('c', '1', at(0), at(2)),
    ];
    const left = [catchUpEventId('c', '1', at(0), at(1), at(2)), catchUpEventId('c', '1', at(0), at(1), at(3))];
    expect(new Set([id, ...others, ...left]).size).toBe(7);
  });
});

describe('a change that proves silence', () => {
  it('lies between the last proof of delivery and 15 minutes ago', () => {
    forAll([anyConnection], (one) => {
      const span = silenceSpan(one, NOW);
      const proofs = [one.last_delivery_at, one.channel?.armed_at, one.grant?.granted_at].flatMap((when) => when ?? []);
      if (!span) return proofs.some((when) => secondsBetween(when, NOW) <= 16 * 60);
      const [from, to] = [span.from.toISOString(), span.to.toISOString()];
      return to === at(-15 * 60) && from < to && proofs.every((when) => from > when);
    });
  });

  it('exists if the last delivery is more than 16 minutes old, even without a consent', () => {
    expect(silenceSpan(connection({ last_delivery_at: at(-16 * 60) }), NOW)).toBeUndefined();
    expect(silenceSpan(connection({ last_delivery_at: at(-16 * 60 - 0.001) }), NOW)).toBeDefined();
    expect(silenceSpan(connection({ grant: undefined }), NOW)?.from.toISOString()).toBe(at(-2 * DAY));
  });

  it('is later than the minute in which only one delivery is recorded', () => {
    const span = silenceSpan(connection({ last_delivery_at: at(-3600) }), NOW);
    expect(span?.from.toISOString()).toBe(at(-3540));
  });
});

describe('calls that count for a lead that is caught up on', () => {
  it('include calls of the day before if the change is from the first two hours of a day and may be our own note', () => {
    const call = new Date('2026-03-02T18:28:00.000Z'); // 23:58 in India
    const note = '2026-03-02T18:33:00.000Z';
    expect(istDay(new Date(note))).not.toBe(istDay(call));
    expect(istDay(new Date(beforeOwnWrites(note)))).toBe(istDay(call));
  });
});

describe('a gap without a check of the channel', () => {
  const delivered = (seconds: number) => connection({ last_delivery_at: at(-seconds), grant: undefined });
  const sent = new Date(at(-60));

  it('begins 15 minutes before the lost notification, or with the silence before it', () => {
    expect(undeliveredSince(delivered(30), sent, NOW)).toBe(at(-16 * 60));
    expect(undeliveredSince(delivered(3600), sent, NOW)).toBe(at(-75 * 60));
  });

  it('contains wanted leads only since the organization was connected', () => {
    expect(wantedSince(at(-3600), connection({}))).toBe(at(-3600));
    expect(wantedSince(at(-3600), connection({ organization_since: at(-60) }))).toBe(at(-60));
    expect(wantedSince(at(-3600), connection({ organization_since: at(-7200) }))).toBe(at(-3600));
  });

  it.each([
    ['before any delivery, from its start', {}, -3600],
    [
      'from a minute after the last delivery, if it began within 15 minutes before that delivery',
      { last_delivery_at: at(-2700) },
      -2640,
    ],
    ['from its start, if the last delivery was more than 15 minutes later', { last_delivery_at: at(-2699) }, -3600],
    ['from its start, if a lead was left', { last_delivery_at: at(-2700), catch_up_to: at(-60) }, -3600],
    ['from its start, if it begins long after the last delivery', { last_delivery_at: at(-7200) }, -3600],
  ])('counts leads that are too old as given up %s', (_, over, since) => {
    expect(givenUpSince(at(-3600), connection(over))).toBe(at(since));
  });

  it('continues from a minute before its last query', () => {
    expect(continuedFrom(NOW)).toBe(at(-60));
  });
});
