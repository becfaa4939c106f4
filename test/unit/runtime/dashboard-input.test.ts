import { type DashboardRouteName, dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';
import { cursorOf, readCursor, readInput, writeCursor } from '../../../shared/runtime/dashboard/dashboard-input.ts';

describe('a cursor', () => {
  const cursor = cursorOf('created_at', 'call_id');
  const position = { created_at: '2026-03-02T06:00:00.000Z', call_id: 'call_1' };
  const read = (keys: object) => readCursor(cursor, writeCursor(keys) ?? '');

  it('returns to the keys that it was written with', () => {
    expect(read(position)).toEqual({ ok: true, value: position });
    expect(readCursor(cursor, undefined)).toEqual({ ok: true, value: undefined });
  });

  it.each([
    ['half a surrogate pair', { ...position, call_id: 'call_\ud800' }],
    ['a time after all times', { ...position, created_at: 'z' }],
    ['a time before all times', { ...position, created_at: ' ' }],
    ['a time in a year of five digits', { ...position, created_at: '+12026-03-02T06:00:00.000Z' }],
    ['another key', { ...position, org_id: 'org2' }],
    ['an empty key', { ...position, call_id: '' }],
  ])('is refused, before DynamoDB refuses it as a defect of the service, with %s', (_what, keys) => {
    expect(read(keys)).toMatchObject({ ok: false, answer: { status: 400, body: { error: 'invalid_request' } } });
  });
});

const withTimes = (Object.keys(dashboardRoutes) as DashboardRouteName[]).flatMap((name) => {
  const row = dashboardRoutes[name];
  return 'query' in row && 'from' in row.query.shape ? [[name, row.query] as const] : [];
});

it.each(withTimes)('the times of a list are no longer than a key of DynamoDB may be: %s', (_name, query) => {
  const from = (digits: number) => ({ from: `2026-03-02T06:00:00.${'0'.repeat(digits)}Z` });
  expect(readInput(query, from(9), 'The query').ok).toBe(true);
  expect(readInput(query, from(1_100), 'The query').ok).toBe(false);
});
