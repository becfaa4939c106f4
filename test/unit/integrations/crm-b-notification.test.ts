import fc from 'fast-check';
import { openNotification } from '../../../shared/integrations/crm-b/notification.ts';
import { forAll } from '../../support/values/for-all.ts';

/** The form of a notification from production, where operation and resource_uri differ from the subscription's. */
const captured = {
  server_time: 1750102639787,
  query_params: {},
  module: 'Leads',
  resource_uri: 'https://www.zohoapis.com/crm/v2/Leads',
  ids: ['5540000000000001001'],
  operation: 'update',
  channel_id: '1000000068001',
  token: 'a-token',
  affected_fields: [{ '5540000000000001001': ['Company', 'Phone'] }],
  affected_values: [{ record_id: '5540000000000001001', values: { Company: 'X', Phone: '555' } }],
};

const opened = (more: object) => openNotification(JSON.stringify({ ...captured, ...more }));
const readText = (text: string) => {
  const notification = openNotification(text).read();
  return notification === 'too large' ? undefined : notification;
};
const read = (more: object) => readText(JSON.stringify({ ...captured, ...more }));
const digits = fc.stringMatching(/^[1-9][0-9]{0,18}$/);

describe('a notification of CRM-B', () => {
  it('is read as token, ids, event and the names of its members, without their values', () => {
    const { token, read } = opened({});
    expect(token).toBe('a-token');
    const sentAt = '2025-06-16T19:37:19.787Z';
    const keys = Object.keys(captured);
    expect(read()).toEqual({ ids: ['5540000000000001001'], event: 'lead_edited', sentAt, keys });
    expect(JSON.stringify(read())).not.toContain('a-token');
  });

  it.each([
    ['insert', 'new_lead'],
    ['update', 'lead_edited'],
    ['UPDATE', 'lead_edited'],
    ['restore', 'other'],
    ['constructor', 'other'],
    ['__proto__', 'other'],
    [undefined, 'other'],
    [7, 'other'],
  ])('with the operation %j is %s', (operation, event) => {
    expect(read({ operation })).toMatchObject({ event, ids: captured.ids });
    expect(read({ operation })).not.toHaveProperty('ignored');
  });

  it.each([undefined, null, 'x', '1750102639787', -1, 0, 1.5, 9e15, {}])(
    'has no time of its own if it is %j',
    (server_time) => {
      expect(read({ server_time })).not.toHaveProperty('sentAt');
    },
  );

  it('about deleted leads or another module is ignored, with the reason', () => {
    const deleted = { event: 'lead_deleted', ids: captured.ids, ignored: 'The CRM deleted the lead.' };
    expect(read({ operation: 'delete' })).toMatchObject(deleted);
    const ignored = 'The notification is about another module than Leads.';
    for (const module of ['Contacts', 'leads', 'Leads ✂'])
      expect(read({ module })).toMatchObject({ event: 'other', ids: [], ignored });
  });

  it('has every digit of its ids, as strings or as numbers', () => {
    forAll([fc.array(fc.tuple(digits, fc.boolean()), { maxLength: 50 })], (ids) => {
      const written = ids.map(([id, isQuoted]) => (isQuoted ? `"${id}"` : id)).join(', ');
      const body = JSON.stringify({ ...captured, ids: '@ids' }).replace('"@ids"', `[${written}]`);
      expect(readText(body)?.ids).toEqual([...new Set(ids.map(([id]) => id))]);
    });
  });

  it('gives each lead once, and at most 500', () => {
    const many = Array.from({ length: 500 }, (_, index) => String(1_000 + index));
    expect(read({ ids: [...many, ...many] })?.ids).toEqual(many);
    expect(read({ ids: [...many, '1'] })).toBeUndefined();
    expect(read({ ids: [7, '7', ' 7 '] })?.ids).toEqual(['7']);
  });

  it.each([[undefined], [null], [[]], [['', null, {}, ' ']]])('yields no lead if its ids are %j', (ids) => {
    expect(read({ ids })?.ids).toEqual([]);
  });

  it.each([['7'], [7], [{ 0: '7' }], [true]])('is invalid if its ids are not a list: %j', (ids) => {
    expect(opened({ ids }).token).toBe('a-token');
    expect(read({ ids })).toBeUndefined();
  });

  it.each(['', '{', 'null', '7', '"a-token"', '[{"token":"a-token"}]', 'token=a-token'])(
    'without a token is invalid: %j',
    (text) => {
      const { token, read } = openNotification(text);
      expect([token, read()]).toEqual([undefined, undefined]);
    },
  );

  it.each([[undefined], [null], [7], [['a-token']], [{}]])('has no token if the token is not text: %j', (token) => {
    expect(opened({ token }).token).toBeUndefined();
  });

  it('of more than 256 KB has its token, and is not parsed, because parsing a stranger’s body can take seconds', () => {
    const text = JSON.stringify({ ids: Array(90_000).fill({}), token: 'a-token' });
    const parse = jest.spyOn(JSON, 'parse');
    const { token, read } = openNotification(text);
    expect([token, read()]).toEqual(['a-token', 'too large']);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('is read with exact numbers only once its token is known, because that takes ten times as long', () => {
    const text = JSON.stringify({ ...captured, ids: Array(40_000).fill(0) });
    const parse = jest.spyOn(JSON, 'parse');
    openNotification(text);
    expect(parse.mock.calls).toEqual([[text]]);
    parse.mockRestore();
  });

  it('is read without an error, whatever its contents', () => {
    const member = fc.constantFrom('token', 'module', 'operation', 'ids', 'x', '__proto__');
    forAll([fc.oneof(fc.dictionary(member, fc.jsonValue()), fc.jsonValue())], (body) => {
      const notification = readText(JSON.stringify(body));
      if (notification) expect(new Set(notification.ids).size).toBe(notification.ids.length);
    });
  });
});
