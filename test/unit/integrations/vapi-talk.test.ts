import { timedLines } from '../../../local/simulators/voice/rules/conversation.ts';
import { readTalk, writeTalk } from '../../../shared/domain/calls/conversation/talk.ts';
import { talkOf } from '../../../shared/integrations/voice/vapi/talk.ts';

const START = 1_772_431_210_000;
const bot = { role: 'bot', message: 'Namaste.', secondsFromStart: 0 };
const user = { role: 'user', message: ' Yes? ', secondsFromStart: 4 };

describe('the lines of a conversation', () => {
  it('are those of the assistant and the person, in the order of their times', () => {
    const system = { role: 'system', message: 'SECRET PROMPT', secondsFromStart: 0 };
    const tool = { role: 'tool_calls', secondsFromStart: 2, toolCalls: [] };
    const spoken = { ...bot, time: START, endTime: START + 2_500 };
    expect(talkOf([system, user, tool, spoken, { role: 'bot' }, null, { ...bot, message: ' ' }])).toEqual([
      { who: 'assistant', text: 'Namaste.', from: 0, to: 2.5 },
      { who: 'person', text: 'Yes?', from: 4, to: 5 },
    ]);
  });

  it.each([
    ['by its instants', { time: START, endTime: START + 3_000, duration: 9_371 }, 3],
    ['by a duration in seconds', { duration: 2.5 }, 2.5],
    ['by a duration in milliseconds', { duration: 2_500 }, 2.5],
    ['until the next line', {}, 4],
    ['until the next line, if its instants are not times of a call', { time: START, endTime: 0 }, 4],
  ])('end %s', (_how, times, to) => {
    expect(talkOf([{ ...bot, ...times }, user])[0]).toMatchObject({ from: 0, to });
  });

  it('have times within the talk if the simulator sends them', () => {
    const said = [
      { role: 'bot' as const, message: 'Namaste.' },
      { role: 'user' as const, message: 'Yes?' },
    ];
    const lines = talkOf(timedLines(said, {}, START, 42));
    expect(lines.map(({ from, to }) => [from, to])).toEqual([
      [0, 18.9],
      [21, 39.9],
    ]);
  });

  it('are stored as a file, and a truncated file is not read', () => {
    const lines = talkOf([bot, user]);
    const file = writeTalk(lines);
    expect([readTalk(file), readTalk(file.slice(0, -5)), readTalk('{"lines":[{}]}')]).toEqual([
      lines,
      undefined,
      undefined,
    ]);
  });
});
