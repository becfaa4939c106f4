import { clampPosition, handleKey, recordingLength } from '../../../dashboard/pages/call/player-keys.ts';
import { describeTalkShare, findLineAt, speakerNames } from '../../../dashboard/words/calls/transcript.ts';
import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';

const lines = [0, 7, 32].map((from) => ({ who: 'assistant' as const, text: '', from, to: from + 5 }));

it.each([
  [0, 0],
  [6.9, 0],
  [6.96, 1],
  [20, 1],
  [90, 2],
])('at %d seconds, line %d is being spoken, or was spoken last', (seconds, line) => {
  expect(findLineAt(lines, seconds)).toBe(line);
});

it('no line is current before the first one is spoken', () => {
  expect(findLineAt(lines.slice(1), 2)).toBeUndefined();
});

it('the person has the name that the CRM stores', () => {
  const named = (fields: Record<string, string>) =>
    speakerNames({ assistant: { id: 'a', name: 'Asha' }, lead: { fields } as unknown as ShownCall['lead'] }).person;
  expect([
    named({ FirstName: 'Ravi', LastName: 'Rao' }),
    named({ Last_Name: 'Rao' }),
    named({ FirstName: ' ' }),
  ]).toEqual(['Ravi', 'Rao', 'Person']);
});

it("shows each speaker's share of the call", () => {
  expect(describeTalkShare('Asha', lines, 60)).toBe('Asha speaks for 25 % of the call.');
});

it('the length of an ended call is known before the recording is loaded, so that lines can be placed', () => {
  expect([recordingLength(undefined, null), recordingLength(undefined, 61), recordingLength(62.4, 61)]).toEqual([
    0, 61, 62.4,
  ]);
  expect([
    clampPosition(32, undefined),
    clampPosition(32, 62.4),
    clampPosition(90, 62.4),
    clampPosition(-5, undefined),
  ]).toEqual([32, 32, 62.4, 0]);
});

it.each([
  [{ key: 'ArrowLeft' }, [15]],
  [{ key: 'ArrowRight' }, [25]],
  [{ key: ' ' }, ['toggled']],
  [{ key: 'ArrowLeft', altKey: true }, []],
  [{ key: 'ArrowRight', metaKey: true }, []],
  [{ key: ' ', ctrlKey: true }, []],
  [{ key: 'j' }, []],
])('a key moves the recording only without a modifier, which is for the browser (%j)', (pressed, expected) => {
  const acts: unknown[] = [];
  const player = { time: 20, toggle: () => acts.push('toggled'), seek: (to: number) => acts.push(to) };
  const none = { altKey: false, ctrlKey: false, metaKey: false };
  expect(handleKey(player, { ...none, ...pressed }, false)).toBe(expected.length > 0);
  expect(acts).toEqual(expected);
});
