import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../../../shared/domain/connections/connection-health.ts';
import { isDeliveryDue, isRejectionDue } from '../../../../shared/domain/connections/delivery-notes.ts';
import { forAll } from '../../../support/for-all.ts';

const START = Date.parse('2026-03-02T06:00:00.000Z');
/** Seconds after the start. */
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const now = (seconds: number) => new Date(START + seconds * 1000);
const aConnection = (over: Partial<Connection> = {}): Connection => ({
  connection_id: 'conn_1',
  org_id: 'org1',
  type: 'crm-a',
  created_at: at(-1000),
  auto_call: true,
  token_hash: 'hash',
  ...over,
});
const connectionStatus = (connection: Connection) => connectionHealth(connection).status;
const refusedAt = (seconds: number) => ({ rejection: { at: at(seconds), reason: 'unauthorized' } });
const takenAt = (seconds: number) => ({ last_delivery_at: at(seconds) });

describe('the status of a connection', () => {
  it.each<[string, Partial<Connection>]>([
    ['not_connected', {}],
    ['healthy', takenAt(0)],
    ['rejecting', refusedAt(0)],
    ['rejecting', { ...takenAt(0), ...refusedAt(1) }],
    ['rejecting', { ...takenAt(0), ...refusedAt(0.001) }],
    ['healthy', { ...takenAt(1), ...refusedAt(0) }],
    ['healthy', { ...takenAt(0), ...refusedAt(0) }],
    ['healthy', { ...takenAt(0), auto_call: false }],
  ])('is %s for %j', (status, over) => {
    expect(connectionStatus(aConnection(over))).toBe(status);
  });

  it('is not_connected without a token, whatever happened before', () => {
    for (const over of [{}, takenAt(0), refusedAt(0), { ...takenAt(0), ...refusedAt(1) }])
      expect(connectionStatus(aConnection({ ...over, token_hash: undefined }))).toBe('not_connected');
  });

  it('is rejecting exactly while the last recorded delivery was refused', () => {
    const moments = fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined });
    forAll([moments, moments], (taken, refused) => {
      const connection = aConnection({
        ...(taken !== undefined && takenAt(taken)),
        ...(refused !== undefined && refusedAt(refused)),
      });
      const isRejecting = refused !== undefined && (taken === undefined || refused > taken);
      expect(connectionStatus(connection) === 'rejecting').toBe(isRejecting);
      expect(connectionStatus(connection) === 'healthy').toBe(!isRejecting && taken !== undefined);
    });
  });
});

describe('the status of a CRM-B connection', () => {
  const crmB = (over: Partial<Connection>) =>
    aConnection({
      type: 'crm-b',
      grant: {
        id: 'g',
        data_center: 'in',
        accounts_server: 'https://accounts.zoho.in',
        api_domain: 'https://www.zohoapis.in',
        refresh_token: 'sealed',
        granted_at: at(-100),
      },
      channel: { id: '1', armed_at: at(0), expires_at: at(100) },
      ...over,
    });

  it('is not rejecting because of refusals from before its channel was armed', () => {
    expect(connectionStatus(crmB(refusedAt(-1)))).toBe('healthy');
    expect(connectionStatus(crmB(refusedAt(1)))).toBe('rejecting');
    expect(connectionStatus(crmB({ ...refusedAt(1), ...takenAt(2) }))).toBe('healthy');
  });
});

describe('a refused delivery', () => {
  it('is recorded the first time, and then once a minute', () => {
    expect(isRejectionDue(aConnection(), now(0))).toBe(true);
    expect(isRejectionDue(aConnection(refusedAt(0)), now(0))).toBe(false);
    expect(isRejectionDue(aConnection(refusedAt(0)), now(59.999))).toBe(false);
    expect(isRejectionDue(aConnection(refusedAt(0)), now(60))).toBe(true);
  });

  it('is not recorded while a clock runs behind', () => {
    expect(isRejectionDue(aConnection(refusedAt(10)), now(0))).toBe(false);
  });

  it('causes at most one write a minute, however many arrive', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 60 });
    forAll([gaps], (seconds) => {
      let connection = aConnection();
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
  it('is recorded the first time, and then once a minute', () => {
    expect(isDeliveryDue(aConnection(), at(0))).toBe(true);
    expect(isDeliveryDue(aConnection(takenAt(0)), at(0))).toBe(false);
    expect(isDeliveryDue(aConnection(takenAt(0)), at(59.999))).toBe(false);
    expect(isDeliveryDue(aConnection(takenAt(0)), at(60))).toBe(true);
  });

  it('is recorded at once if it ends refusals', () => {
    expect(isDeliveryDue(aConnection({ ...takenAt(0), ...refusedAt(1) }), at(2))).toBe(true);
    expect(isDeliveryDue(aConnection(refusedAt(1)), at(2))).toBe(true);
  });

  it('is not recorded because of refusals that have ended or came later', () => {
    expect(isDeliveryDue(aConnection({ ...takenAt(2), ...refusedAt(1) }), at(3))).toBe(false);
    expect(isDeliveryDue(aConnection({ ...takenAt(0), ...refusedAt(5) }), at(4))).toBe(false);
    expect(isDeliveryDue(aConnection({ ...takenAt(0), ...refusedAt(5) }), at(5))).toBe(false);
  });

  it('never moves the time back', () => {
    expect(isDeliveryDue(aConnection(takenAt(500)), at(0))).toBe(false);
    expect(isDeliveryDue(aConnection({ ...takenAt(500), ...refusedAt(400) }), at(450))).toBe(false);
  });

  it('leaves the connection healthy if it was the last, with few writes', () => {
    const deliveries = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 90 }), isTaken: fc.boolean() }), {
      minLength: 1,
      maxLength: 60,
    });
    forAll([deliveries], (all) => {
      let connection = aConnection();
      let clock = 0;
      for (const { gap, isTaken } of all) {
        clock += gap;
        const wasRejecting = connectionStatus(connection) === 'rejecting';
        if (isTaken && isDeliveryDue(connection, at(clock))) {
          const sinceLast =
            connection.last_delivery_at && clock * 1000 + START - Date.parse(connection.last_delivery_at);
          if (sinceLast) expect(wasRejecting || sinceLast >= 60_000).toBe(true);
          connection = { ...connection, ...takenAt(clock) };
        }
        if (!isTaken && isRejectionDue(connection, now(clock))) connection = { ...connection, ...refusedAt(clock) };
        if (isTaken) expect(connectionStatus(connection)).toBe('healthy');
      }
    });
  });
});
