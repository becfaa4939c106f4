import fc from 'fast-check';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../../../shared/domain/connections/connection-health.ts';
import { isDeliveryDue, isRejectionDue } from '../../../../shared/domain/connections/deliveries/delivery-notes.ts';
import { forAll } from '../../../support/values/for-all.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';

const START = Date.parse('2026-03-02T06:00:00.000Z');
/** Seconds after the start. */
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const now = (seconds: number) => new Date(START + seconds * 1000);
const ofCrmA = (over: Partial<Connection> = {}) => aConnection({ type: 'crm-a', token_hash: 'hash', ...over });
const connectionStatus = (connection: Connection) => connectionHealth(connection).status;
const refusedAt = (seconds: number) => ({ rejection: { at: at(seconds), reason: 'unauthorized' } });
const wrongBodyAt = (seconds: number) => ({ rejection: { at: at(seconds), reason: 'invalid body' } });
const acceptedAt = (seconds: number) => ({ last_delivery_at: at(seconds) });
const replacedAt = (seconds: number) => ({ token_replaced_at: at(seconds) });
const HOUR = 3_600;
const DAY = 24 * HOUR;
/** An office that gets leads by day is silent after about a day and a half. */
const officeHours = { delivery_rhythm: { usual_gap: 12 * HOUR, observed: 10 * DAY } };

describe('the status of a connection', () => {
  it.each<[string, Partial<Connection>]>([
    ['not_connected', {}],
    ['healthy', acceptedAt(0)],
    ['rejecting', refusedAt(0)],
    ['rejecting', { ...acceptedAt(0), ...wrongBodyAt(3_600) }],
    ['healthy', { ...acceptedAt(0), ...wrongBodyAt(3_599) }],
    ['healthy', { ...acceptedAt(0), ...refusedAt(0.001) }],
    ['healthy', { ...acceptedAt(1), ...refusedAt(0) }],
    ['healthy', { ...acceptedAt(0), ...refusedAt(0) }],
    ['healthy', { ...acceptedAt(0), auto_call: false }],
  ])('is %s for %j', (status, over) => {
    expect(connectionStatus(ofCrmA(over))).toBe(status);
  });

  it('is not_connected without a token, regardless of its history', () => {
    for (const over of [{}, acceptedAt(0), refusedAt(0), { ...acceptedAt(0), ...refusedAt(1) }])
      expect(connectionStatus(ofCrmA({ ...over, token_hash: undefined }))).toBe('not_connected');
  });

  it('is rejecting only if wrong tokens arrive before the first delivery or after a longer pause than usual', () => {
    // Monday to Friday.
    const moments = fc.option(fc.integer({ min: 0, max: 4 * DAY }), { nil: undefined });
    forAll([moments, moments, fc.boolean()], (accepted, refused, isKnown) => {
      const connection = ofCrmA({
        ...(accepted !== undefined && acceptedAt(accepted)),
        ...(refused !== undefined && refusedAt(refused)),
        ...(isKnown && officeHours),
      });
      const longest = isKnown ? 36 * HOUR : DAY;
      const isRejecting = refused !== undefined && (accepted === undefined || refused - accepted > longest);
      expect(connectionStatus(connection) === 'rejecting').toBe(isRejecting);
      expect(connectionStatus(connection) === 'healthy').toBe(!isRejecting && accepted !== undefined);
    });
  });
});

describe('a wrong token', () => {
  const quiet = { ...acceptedAt(0), ...officeHours };

  it.each<[string, string, Partial<Connection>]>([
    ['does not make a connection look broken in a quiet night', 'healthy', { ...quiet, ...refusedAt(14 * HOUR) }],
    [
      'shows that the CRM uses a wrong token if deliveries stay away for longer than usual',
      'rejecting',
      { ...quiet, ...refusedAt(37 * HOUR) },
    ],
    // The start is a Monday.
    ['does not count a weekend as silence', 'healthy', { ...quiet, ...acceptedAt(4 * DAY), ...refusedAt(6.5 * DAY) }],
    ['does not hide a silence', 'silent', { ...quiet, silent_since: at(37 * HOUR), ...refusedAt(38 * HOUR) }],
    [
      'shows at once that the CRM uses the replaced token',
      'rejecting',
      { ...quiet, ...replacedAt(9), ...refusedAt(10) },
    ],
    [
      'shows that the CRM uses the replaced token, even after a silence',
      'rejecting',
      { ...quiet, silent_since: at(37 * HOUR), ...replacedAt(38 * HOUR), ...refusedAt(39 * HOUR) },
    ],
    [
      'is a stranger’s once the new token has arrived',
      'healthy',
      { ...officeHours, ...replacedAt(0), ...acceptedAt(9), ...refusedAt(10) },
    ],
    [
      'does not affect the status of a newer token',
      'healthy',
      { ...quiet, ...refusedAt(37 * HOUR), ...replacedAt(38 * HOUR) },
    ],
    ['does not affect the status of a newer, unused token', 'not_connected', { ...refusedAt(9), ...replacedAt(10) }],
    ['shows that the CRM never had the right token', 'rejecting', { ...replacedAt(9), ...refusedAt(10) }],
  ])('%s', (_promise, status, over) => {
    expect(connectionStatus(ofCrmA(over))).toBe(status);
  });
});

describe('a flood of wrong tokens', () => {
  it('does not make a connection with a lead every half hour look broken, and is counted', () => {
    let connection = ofCrmA(acceptedAt(0));
    let writes = 0;
    for (let second = 1; second < 86_400; second += 1) {
      const isGenuine = second % 1_800 === 0;
      if (isGenuine && isDeliveryDue(connection, at(second))) connection = { ...connection, ...acceptedAt(second) };
      if (!isGenuine && isRejectionDue(connection, 'unauthorized', now(second))) {
        connection = { ...connection, ...refusedAt(second), rejected_minutes: (connection.rejected_minutes ?? 0) + 1 };
        writes += 1;
        expect(connectionStatus(connection)).toBe('healthy');
      }
    }
    expect(connection.rejected_minutes).toBe(writes);
    expect(writes).toBeLessThanOrEqual(24 * 60);
  });
});

describe('the status of a CRM-B connection', () => {
  const channel = { id: '1', armed_at: at(0), expires_at: at(100) };
  const crmB = (over: Partial<Connection>) => aConnection({ grant: aGrant(), channel, ...over });

  it('is not rejecting because of refusals before its channel was armed', () => {
    expect(connectionStatus(crmB(refusedAt(-1)))).toBe('healthy');
    expect(connectionStatus(crmB(refusedAt(1)))).toBe('rejecting');
    expect(connectionStatus(crmB({ ...refusedAt(1), ...acceptedAt(2) }))).toBe('healthy');
  });

  it('is not rejecting because of wrong tokens once its channel has delivered', () => {
    expect(connectionStatus(crmB({ ...acceptedAt(1), ...refusedAt(9 * DAY) }))).toBe('healthy');
    expect(connectionStatus(crmB({ ...acceptedAt(-1), ...refusedAt(1) }))).toBe('rejecting');
    expect(connectionStatus(crmB({ ...acceptedAt(1), ...wrongBodyAt(HOUR + 1) }))).toBe('rejecting');
  });
});

describe('the reason of a status', () => {
  const channel = { id: '1', armed_at: at(0), expires_at: at(100) };
  const grant = aGrant();
  const inactive = { at: at(1), status: 'inactive' as const };
  const ofDesk = { type: 'help-desk' as const, grant };
  const settings = { departmentId: '1' };
  const demo = { id: '7', name: 'Demo' };

  it.each<[string, Partial<Connection>]>([
    ['not_connected: disconnected', { type: 'crm-a' }],
    ['not_connected: no delivery has arrived yet', { type: 'crm-a', token_hash: 'hash' }],
    [
      'silent: no delivery has arrived for much longer than usual',
      { type: 'crm-a', token_hash: 'hash', silent_since: at(0) },
    ],
    ['rejecting: unauthorized', { type: 'crm-a', token_hash: 'hash', ...refusedAt(0) }],
    ['not_connected: disconnected', {}],
    ['needs_reconnect: gone', { grant, channel, reconnect_needed: { at: at(0), reason: 'gone' } }],
    ['unhealthy: the watch channel is not armed', { grant }],
    [
      'unhealthy: the watch channel was not armed after the last consent',
      { grant: aGrant({ granted_at: at(1) }), channel, channel_check: { at: at(0), status: 'active' } },
    ],
    ['unhealthy: the watch channel is inactive', { grant, channel, channel_check: inactive }],
    ['unhealthy: no such channel', { grant, channel, channel_check: { ...inactive, reason: 'no such channel' } }],
    ['silent: leads change at the CRM and none is delivered', { grant, channel, silent_since: at(0) }],
    ['healthy: null', { grant, channel, channel_check: { at: at(1), status: 'active' } }],
    ['rejecting: unauthorized', { grant, channel, ...refusedAt(1) }],
    ['not_connected: disconnected', { type: 'help-desk' }],
    [`unhealthy: no department is set: connection update --settings '{"departmentId": …}'`, ofDesk],
    [
      `unhealthy: its organizations are not known: connection update --settings '{}' requests them`,
      { ...ofDesk, settings },
    ],
    [
      'unhealthy: the person who consented has no organization at the help desk: connect again',
      { ...ofDesk, settings, grant: { ...grant, organizations: [] } },
    ],
    [
      `unhealthy: no organization is chosen: connection update --settings '{"orgId": …}', one of 7 (Demo)`,
      { ...ofDesk, settings, grant: { ...grant, organizations: [demo] } },
    ],
    ['healthy: null', { ...ofDesk, settings: { ...settings, orgId: '7' }, grant: { ...grant, organizations: [demo] } }],
  ])('is shown to people: %s', (shown, over) => {
    const { status, reason } = connectionHealth(aConnection(over));
    expect(`${status}: ${reason}`).toBe(shown);
  });
});

describe('a refused delivery', () => {
  it.each<[string, Partial<Connection>, number, boolean]>([
    ['is recorded the first time', {}, 0, true],
    ['is not recorded twice at once', refusedAt(0), 0, false],
    ['is not recorded again within a minute', refusedAt(0), 59.999, false],
    ['is recorded again after a minute', refusedAt(0), 60, true],
    ['is not recorded while a clock runs behind', refusedAt(10), 0, false],
  ])('%s', (_rule, over, seconds, isDue) => {
    expect(isRejectionDue(ofCrmA(over), 'unauthorized', now(seconds))).toBe(isDue);
  });

  const rejecting = { ...acceptedAt(0), ...wrongBodyAt(2 * HOUR) };

  it.each<[string, string, Partial<Connection>, number, boolean]>([
    ['a stranger’s, while the CRM’s own are refused', 'unauthorized', rejecting, 3 * HOUR, false],
    ['the CRM’s own, a minute later', 'invalid body', rejecting, 2 * HOUR + 60, true],
    ['the CRM’s own, at once after a stranger’s', 'invalid body', { ...acceptedAt(0), ...refusedAt(9) }, 10, true],
    [
      'a wrong token, if a delivery was accepted since',
      'unauthorized',
      { ...rejecting, ...acceptedAt(9_000) },
      9_060,
      true,
    ],
    [
      'a wrong token, if another automation sent the wrong body',
      'unauthorized',
      { ...acceptedAt(0), ...wrongBodyAt(9) },
      69,
      true,
    ],
    ['a wrong token, if the token is newer', 'unauthorized', { ...rejecting, ...replacedAt(3 * HOUR) }, 4 * HOUR, true],
  ])('does not hide a delivery of another kind: %s', (_which, reason, over, seconds, isDue) => {
    expect(isRejectionDue(ofCrmA(over), reason, now(seconds))).toBe(isDue);
  });

  it('causes at most one write a minute, however many arrive', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 60 });
    forAll([gaps], (seconds) => {
      let connection = ofCrmA();
      let clock = 0;
      const written: number[] = [];
      for (const gap of seconds) {
        clock += gap;
        if (!isRejectionDue(connection, 'unauthorized', now(clock))) continue;
        connection = { ...connection, ...refusedAt(clock) };
        written.push(clock);
      }
      expect(written[0]).toBe(seconds[0]);
      for (const [index, moment] of written.entries())
        if (index > 0) expect(moment - (written[index - 1] ?? 0)).toBeGreaterThanOrEqual(60);
      expect(clock - (written.at(-1) ?? 0)).toBeLessThan(60);
    });
  });
});

describe('an accepted delivery', () => {
  it.each<[string, Partial<Connection>, number, boolean]>([
    ['is recorded the first time', {}, 0, true],
    ['is not recorded twice at once', acceptedAt(0), 0, false],
    ['is not recorded again within a minute', acceptedAt(0), 59.999, false],
    ['is recorded again after a minute', acceptedAt(0), 60, true],
    ['is not recorded more often during a flood', { ...acceptedAt(0), ...refusedAt(1) }, 2, false],
    ['is recorded at once after an hour of refusals', { ...acceptedAt(0), ...refusedAt(3_600) }, 3_601, true],
    ['is recorded at once if there were only refusals', refusedAt(1), 2, true],
    ['is not recorded because of refusals that have ended', { ...acceptedAt(2), ...refusedAt(1) }, 3, false],
    ['is not recorded because of refusals that came later', { ...acceptedAt(0), ...refusedAt(5) }, 4, false],
    ['is not recorded because of a refusal at the same time', { ...acceptedAt(0), ...refusedAt(5) }, 5, false],
    ['is recorded at once if it is the first with a new token', { ...acceptedAt(0), ...replacedAt(1) }, 2, true],
    ['is not recorded twice at once with a new token', { ...acceptedAt(2), ...replacedAt(1) }, 3, false],
    ['never moves the time back', acceptedAt(500), 0, false],
    ['never moves the time back, even after refusals', { ...acceptedAt(500), ...refusedAt(400) }, 450, false],
  ])('%s', (_rule, over, seconds, isDue) => {
    expect(isDeliveryDue(ofCrmA(over), at(seconds))).toBe(isDue);
  });

  it('leaves the connection healthy if it was the last delivery, with few writes', () => {
    const delivery = fc.record({ gap: fc.integer({ min: 1, max: 90 }), isAccepted: fc.boolean() });
    forAll([fc.array(delivery, { minLength: 1, maxLength: 60 })], (all) => {
      let connection = ofCrmA();
      let clock = 0;
      for (const { gap, isAccepted } of all) {
        clock += gap;
        if (isAccepted && isDeliveryDue(connection, at(clock))) {
          const sinceLast =
            connection.last_delivery_at && clock * 1000 + START - Date.parse(connection.last_delivery_at);
          if (sinceLast) expect(sinceLast).toBeGreaterThanOrEqual(60_000);
          connection = { ...connection, ...acceptedAt(clock) };
        }
        if (!isAccepted && isRejectionDue(connection, 'unauthorized', now(clock)))
          connection = { ...connection, ...refusedAt(clock) };
        if (isAccepted) expect(connectionStatus(connection)).toBe('healthy');
      }
    });
  });
});
