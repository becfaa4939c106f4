import { hasJoined, type TableHistory, usedAtFirst, usedBefore } from '../../../bin/admin/cloud/table-history.ts';

const base = 'calling-service-prod-calls';
const [one, two] = [`${base}-r20261123093000`, `${base}-r20261123083000`];

/** Events of the stack in their order, such as `+TABLE` for a table that joined it. */
const history = (...events: string[]): TableHistory =>
  events.map((event, index) => ({
    table: event.slice(1),
    kind: event.startsWith('+') ? 'joined' : 'left',
    at: new Date(index),
  }));

describe('the table that a stage used at a time', () => {
  it.each([
    ['is the present one without an exchange since', [], one, one],
    ['is the one that the first restore replaced', [`+${one}`, `-${base}`, `+${two}`, `-${one}`], two, base],
    ['is the one that a second restore replaced', [`+${two}`, `-${one}`], two, one],
    ['is the restored one before a return to the former one', [`+${base}`, `-${one}`], base, one],
    ['is not one that a failed deployment took and left again', [`+${one}`, `-${one}`], base, base],
    ['is the one before a deployment that first failed', [`+${one}`, `-${one}`, `+${one}`, `-${base}`], one, base],
    [
      'is not affected by tables with similar names',
      ['-calling-service-prod-calls-old', '-calling-service-prod-claims'],
      one,
      one,
    ],
  ])('%s', (_what, events, inUse, expected) => {
    expect(usedAtFirst(history(...events), inUse)).toBe(expected);
  });
});

test('the tables that a stage no longer uses are listed by the last time that they left the stack', () => {
  const events = history(
    `-${base}`,
    `+${one}`,
    `-${one}`,
    `+${base}`,
    `-${base}`,
    `+${two}`,
    '-calling-service-prod-slots',
  );
  expect(usedBefore(events, two).map(({ table, leftAt }) => [table, leftAt.getTime()])).toEqual([
    [one, 2],
    [base, 4],
  ]);
  expect([hasJoined(events, one), hasJoined(events, `${base}-r20261123073000`)]).toEqual([true, false]);
});
