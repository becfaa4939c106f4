import fc from 'fast-check';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../../../shared/domain/connections/connection-health.ts';
import { isDeliveryDue, isRejectionDue } from '../../../../shared/domain/connections/delivery-notes.ts';
import { forAll } from '../../../support/for-all.ts';
import { aConnection, aGrant } from '../../support/items.ts';

const START = Date.parse('2026-03-02T06:00:00.000Z');
/** Seconds after the start. */
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const now = (seconds: number) => new Date(START + seconds * 1000);
const ofCrmA = (over: Partial<Connection> = {}) => aConnection({ type: 'crm-a', token_hash: 'hash', ...over });
const connectionStatus = (connection: Connection) => connectionHealth(connection).status;
const refusedAt = (seconds: number) => ({ rejection: { at: at(seconds), reason: 'unauthorized' } });
const acceptedAt = (seconds: number) => ({ last_delivery_at: at(seconds) });

describe('the status of a connection', () => {
  it.each<[string, Partial<Connection>]>([
    ['not_connected', {}],
    ['healthy', acceptedAt(0)],
    ['rejecting', refusedAt(0)],
    ['rejecting', { ...acceptedAt(0), ...refusedAt(3_600) }],
    ['healthy', { ...acceptedAt(0), ...refusedAt(3_599) }],
    ['healthy', { ...acceptedAt(0), ...refusedAt(0.001) }],
    ['healthy', { ...acceptedAt(1), ...refusedAt(0) }],
    ['healthy', { ...acceptedAt(0), ...refusedAt(0) }],
    ['healthy', { ...acceptedAt(0), auto_call: false }],
  ])('is %s for %j', (status, over) => {
    expect(connectionStatus(ofCrmA(over))).toBe(status);
  });

  it('is not_connected without a token, whatever happened before', () => {
    for (const over of [{}, acceptedAt(0), refusedAt(0), { ...acceptedAt(0), ...refusedAt(1) }])
      expect(connectionStatus(ofCrmA({ ...over, token_hash: undefined }))).toBe('not_connected');
  });

  it('is rejecting exactly if a delivery was refused and none was accepted in the hour before', () => {
    const moments = fc.option(fc.integer({ min: 0, max: 8_000 }), { nil: undefined });
    forAll([moments, moments], (accepted, refused) => {
      const connection = ofCrmA({
        ...(accepted !== undefined && acceptedAt(accepted)),
        ...(refused !== undefined && refusedAt(refused)),
      });
      const isRejecting = refused !== undefined && (accepted === undefined || refused - accepted >= 3_600);
      expect(connectionStatus(connection) === 'rejecting').toBe(isRejecting);
      expect(connectionStatus(connection) === 'healthy').toBe(!isRejecting && accepted !== undefined);
    });
  });
});

describe('a flood of wrong tokens', () => {
  it('does not make a connection look broken that gets a lead each half hour, and is counted', () => {
    let connection = ofCrmA(acceptedAt(0));
    let writes = 0;
    for (let second = 1; second < 86_400; second += 1) {
      const isGenuine = second % 1_800 === 0;
      if (isGenuine && isDeliveryDue(connection, at(second))) connection = { ...connection, ...acceptedAt(second) };
      if (!isGenuine && isRejectionDue(connection, now(second))) {
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

  it('is not rejecting because of refusals from before its channel was armed', () => {
    expect(connectionStatus(crmB(refusedAt(-1)))).toBe('healthy');
    expect(connectionStatus(crmB(refusedAt(1)))).toBe('rejecting');
    expect(connectionStatus(crmB({ ...refusedAt(1), ...acceptedAt(2) }))).toBe('healthy');
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
    ['not_connected: no delivery has come yet', { type: 'crm-a', token_hash: 'hash' }],
    ['rejecting: unauthorized', { type: 'crm-a', token_hash: 'hash', ...refusedAt(0) }],
    ['not_connected: disconnected', {}],
    ['needs_reconnect: gone', { grant, channel, reconnect_needed: { at: at(0), reason: 'gone' } }],
    ['unhealthy: the watch channel is not armed', { grant }],
    ['unhealthy: the watch channel is inactive', { grant, channel, channel_check: inactive }],
    ['unhealthy: no such channel', { grant, channel, channel_check: { ...inactive, reason: 'no such channel' } }],
    ['silent: leads change at the CRM and none is delivered', { grant, channel, silent_since: at(0) }],
    ['healthy: null', { grant, channel, channel_check: { at: at(1), status: 'active' } }],
    ['rejecting: unauthorized', { grant, channel, ...refusedAt(1) }],
    ['not_connected: disconnected', { type: 'help-desk' }],
    [`unhealthy: no department is set: connection update --settings '{"departmentId": …}'`, ofDesk],
    [
      `unhealthy: its organizations are not known: connection update --settings '{}' asks for them`,
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
    expect(isRejectionDue(ofCrmA(over), now(seconds))).toBe(isDue);
  });

  it('causes at most one write a minute, however many arrive', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 60 });
    forAll([gaps], (seconds) => {
      let connection = ofCrmA();
      let clock = 0;
      const written: number[] = [];
      for (const gap of seconds) {
        clock += gap;
        if (!isRejectionDue(connection, now(clock))) continue;
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
    ['never moves the time back', acceptedAt(500), 0, false],
    ['never moves the time back, even after refusals', { ...acceptedAt(500), ...refusedAt(400) }, 450, false],
  ])('%s', (_rule, over, seconds, isDue) => {
    expect(isDeliveryDue(ofCrmA(over), at(seconds))).toBe(isDue);
  });

  it('leaves the connection healthy if it was the last, with few writes', () => {
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
        if (!isAccepted && isRejectionDue(connection, now(clock))) connection = { ...connection, ...refusedAt(clock) };
        if (isAccepted) expect(connectionStatus(connection)).toBe('healthy');
      }
    });
  });
});
