import fc from 'fast-check';
import { conditionExpression, countedIn, updateExpression } from '../../../../shared/stores/dynamodb/update.ts';
import { forAll } from '../../../support/values/for-all.ts';
import { updated } from '../../support/worlds/expression.ts';

const placeholders = (text = '') => new Set(text.match(/[#:]\w+/g));

describe('an update', () => {
  it('sets, adds and removes in one expression with a placeholder for every attribute', () => {
    const change = { set: { status: 'dialing', name: 'x' }, add: { attempts: 1 }, remove: ['slots', 'timestamp'] };
    const names = ['status', 'name', 'attempts', 'slots', 'timestamp'];
    expect(updateExpression(change, [])).toEqual({
      UpdateExpression:
        'SET #status = :set_status, #name = :set_name ADD #attempts :add_attempts REMOVE #slots, #timestamp',
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: { ':set_status': 'dialing', ':set_name': 'x', ':add_attempts': 1 },
    });
  });

  it('appends to a list after the items of other writers', () => {
    expect(updateExpression({ set: { state: 'x' }, append: { attempts: [1] }, remove: ['next'] }, [])).toEqual({
      UpdateExpression: 'SET #state = :set_state, #attempts = list_append(#attempts, :append_attempts) REMOVE #next',
      ExpressionAttributeNames: { '#state': 'state', '#attempts': 'attempts', '#next': 'next' },
      ExpressionAttributeValues: { ':set_state': 'x', ':append_attempts': [1] },
    });
  });

  it('does not overwrite a stored value that may be written only once', () => {
    expect(updateExpression({ set: { b: 2 }, setOnce: { a: 1 } }, [])).toEqual({
      UpdateExpression: 'SET #b = :set_b, #a = if_not_exists(#a, :once_a)',
      ExpressionAttributeNames: { '#b': 'b', '#a': 'a' },
      ExpressionAttributeValues: { ':set_b': 2, ':once_a': 1 },
    });
  });

  it('counts one more in the same period, and begins with one in another', () => {
    const update = updateExpression({ set: { b: 2 }, countIn: { c: { of: 'c_of', period: 17 } } }, []);
    expect(update).toEqual({
      UpdateExpression: 'SET #b = :set_b, #c = #c - if_not_exists(#c_of.#in_17, #c), #c_of = :of_c_of',
      ExpressionAttributeNames: { '#b': 'b', '#c': 'c', '#c_of': 'c_of', '#in_17': '17' },
      ExpressionAttributeValues: { ':set_b': 2, ':of_c_of': { 17: -1 } },
    });
    const next = (item: Record<string, unknown>) => updated(update.UpdateExpression, item, update).next;
    const first = next({ c: 5, c_of: { 16: -1 } });
    const read = { counter: 'c', of: 'c_of', period: 17 };
    expect([first, next(first)].map((item) => countedIn(item, read))).toEqual([1, 2]);
    expect(countedIn(first, { ...read, period: 16 })).toBe(0);
  });

  it('omits undefined values, but writes null, false, 0 and empty text', () => {
    const change = { set: { a: undefined, b: null, c: false, d: 0, e: '' }, add: { f: undefined } };
    expect(updateExpression(change, [])).toEqual({
      UpdateExpression: 'SET #b = :set_b, #c = :set_c, #d = :set_d, #e = :set_e',
      ExpressionAttributeNames: { '#b': 'b', '#c': 'c', '#d': 'd', '#e': 'e' },
      ExpressionAttributeValues: { ':set_b': null, ':set_c': false, ':set_d': 0, ':set_e': '' },
    });
  });

  it('has no list of values if it needs none, because DynamoDB refuses an empty list', () => {
    expect(updateExpression({ remove: ['a'] }, [{ expression: 'attribute_exists(call_id)' }])).toEqual({
      UpdateExpression: 'REMOVE #a',
      ConditionExpression: '(attribute_exists(call_id))',
      ExpressionAttributeNames: { '#a': 'a' },
    });
  });

  it('requires all conditions together, with OR inside parentheses', () => {
    expect(
      updateExpression({ set: { x: 1 } }, [
        { expression: 'a = :a OR b = :b', values: { a: 1, b: 2 } },
        { expression: '#status IN (:queued)', values: { queued: 'queued' } },
      ]),
    ).toMatchObject({
      ConditionExpression: '(a = :a OR b = :b) AND (#status IN (:queued))',
      ExpressionAttributeNames: { '#x': 'x', '#status': 'status' },
      ExpressionAttributeValues: { ':set_x': 1, ':a': 1, ':b': 2, ':queued': 'queued' },
    });
  });

  it('may write an attribute and test it without confusing the values', () => {
    const { ExpressionAttributeValues } = updateExpression({ set: { status: 'new' }, add: { n: 1 } }, [
      { expression: '#status = :status AND n = :n', values: { status: 'old', n: 7 } },
    ]);
    expect(ExpressionAttributeValues).toEqual({ ':set_status': 'new', ':add_n': 1, ':status': 'old', ':n': 7 });
  });

  it('without changes is refused before the request', () => {
    expect(() => updateExpression({ set: { a: undefined } }, [])).toThrow('must change something');
  });

  it('defines exactly the placeholders that it uses, as DynamoDB requires', () => {
    const attribute = fc.constantFrom('status', 'name', 'size', 'cost', 'timestamp', 'call_id');
    const record = fc.dictionary(attribute, fc.oneof(fc.integer(), fc.constant(undefined)));
    const condition = fc.record({ attribute, value: fc.integer(), isReserved: fc.boolean() });
    forAll([record, record, fc.array(attribute), fc.array(condition)], (set, add, remove, conditions) => {
      fc.pre([...Object.values(set), ...Object.values(add), ...remove].some((value) => value !== undefined));
      const made = updateExpression(
        { set, add, remove },
        conditions.map(({ attribute: name, value, isReserved }, index) => ({
          expression: `${isReserved ? '#' : ''}${name} = :c${index}`,
          values: { [`c${index}`]: value },
        })),
      );
      const used = new Set([...placeholders(made.UpdateExpression), ...placeholders(made.ConditionExpression)]);
      const names = Object.entries(made.ExpressionAttributeNames);
      const defined = [
        ...names.map(([placeholder]) => placeholder),
        ...Object.keys(made.ExpressionAttributeValues ?? {}),
      ];
      expect(new Set(defined)).toEqual(used);
      for (const [placeholder, name] of names) expect(placeholder).toBe(`#${name}`);
    });
  });
});

describe('the condition of a put or a delete', () => {
  it('defines exactly the placeholders that it uses, without empty maps, as DynamoDB requires', () => {
    const conditions = [
      { expression: 'attribute_not_exists(claim)' },
      { expression: '#at <= :until', values: { until: 1 } },
    ];
    expect(conditionExpression(conditions)).toEqual({
      ConditionExpression: '(attribute_not_exists(claim)) AND (#at <= :until)',
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ':until': 1 },
    });
    expect(conditionExpression([{ expression: 'attribute_exists(a)' }])).toEqual({
      ConditionExpression: '(attribute_exists(a))',
    });
    expect(conditionExpression([])).toEqual({});
  });
});
