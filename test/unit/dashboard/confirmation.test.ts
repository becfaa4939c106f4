import { isTypedAs } from '../../../dashboard/words/confirmation.ts';
import { confirmationTextOf } from '../../../dashboard/words/connections/pending-consent.ts';

describe('a name that is typed as confirmation', () => {
  it.each([
    ['several blanks', 'back  end', 'back end'],
    ['a line break and a tab', 'back\n\tend', 'back end'],
    ['a no-break space', 'back\u00a0end', 'back end'],
    ['a hidden character', 'back\u200bend', 'backend'],
    ['a letter with its accent apart', 'Jose\u0301', 'José'],
    ['blanks around it', ' backend ', 'backend'],
    ['letters of a script from right to left', 'שלום', 'שלום'],
  ])('may be typed as it is shown if it has %s', (_, name, typed) => {
    expect(isTypedAs(typed, name)).toBe(true);
  });

  it.each([
    ['another case', 'backend', 'Backend'],
    ['a part of it', 'backend', 'back'],
    ['nothing', 'backend', ' '],
    ['no blank', 'back end', 'backend'],
  ])('is not accepted with %s', (_, name, typed) => {
    expect(isTypedAs(typed, name)).toBe(false);
  });
});

it.each([
  [[{ id: '6001', name: 'Rao & Sons' }], 'Rao & Sons'],
  [
    [
      { id: '6001', name: 'Rao & Sons' },
      { id: '6002', name: 'Other' },
    ],
    'Rao & Sons',
  ],
  [[{ id: '6001', name: '' }], '6001'],
])('another organization is confirmed by its name, or by its id without a name', (organizations, expected) => {
  const shown = confirmationTextOf(organizations);
  expect(shown).toBe(expected);
  expect(isTypedAs('', shown)).toBe(false);
});
