import { readDefinition } from '../../../../../shared/domain/organizations/assistants/assistant-definition.ts';
import { createAssistant, updateAssistant } from '../../../../../shared/messages/dashboard/assistants.ts';

const analysis_schema = { type: 'object', properties: { budget: { type: 'integer' } }, required: ['budget'] };
const complete = {
  name: 'Asha',
  prompt: 'You are Asha.',
  first_message: 'Namaste.',
  voice: 'Neha',
  language: 'hi',
  transfer_number: '+918012345678',
  max_duration_seconds: 600,
  success_criteria: 'A visit is agreed.',
  analysis_schema,
};

describe('a definition', () => {
  it('is read from a file and from the page alike, with its texts trimmed', () => {
    const typed = { ...complete, name: ' Asha ' };
    expect(readDefinition(typed)).toEqual({ ok: true, definition: complete });
    expect(createAssistant.request.parse(typed)).toEqual(complete);
    expect(updateAssistant.request.parse({ revision: 1, ...typed })).toEqual({ revision: 1, ...complete });
    expect(readDefinition({})).toEqual({ ok: true, definition: {} });
  });

  it.each<[object, RegExp]>([
    [{ tone: 'warm' }, /Unrecognized key: tone\./],
    [{ name: ' ' }, /name: must have 1 to 200 characters\./],
    [{ prompt: 'x'.repeat(100_001) }, /prompt: must have 1 to 100000 characters/],
    [{ prompt: 7 }, /prompt: must be text/],
    [{ transfer_number: '08012345678' }, /transfer_number: must be a phone number with its country code/],
    [{ transfer_number: 7 }, /transfer_number: must be text\.$/],
    [{ max_duration_seconds: 9 }, /max_duration_seconds: must be a whole number of seconds from 10 to 3600/],
    [{ max_duration_seconds: 60.5 }, /max_duration_seconds: must be a whole number of seconds from 10 to 3600/],
    [{ analysis_schema: [] }, /analysis_schema: must be a JSON Schema of an object/],
    [{ analysis_schema: { type: 'array', properties: {} } }, /analysis_schema\.type: must be "object"/],
    [{ analysis_schema: { type: 'object' } }, /analysis_schema\.properties: must be an object of fields/],
    [{ analysis_schema: { type: 'object', properties: { a: 7 } } }, /properties\.a: must be a JSON Schema\.$/],
    [
      { analysis_schema: { type: 'object', properties: { a: { $ref: '#' } } } },
      /analysis_schema: properties\.a: \$ref is not supported/,
    ],
    [
      { analysis_schema: { type: 'object', properties: { a: { type: 'date' } } } },
      /analysis_schema: properties\.a\.type: must be one of string, number/,
    ],
  ])('%j is refused with the member and the reason, from a file and from the page', (definition, reason) => {
    const read = readDefinition(definition);
    expect(read).toEqual({ ok: false, problem: expect.stringMatching(reason) });
    const { error } = updateAssistant.request.safeParse({ revision: 1, ...definition });
    const [issue] = error?.issues ?? [];
    if (!('tone' in definition))
      expect(read).toMatchObject({ problem: expect.stringContaining(issue?.message ?? '-') });
    expect(createAssistant.request.safeParse({ name: 'x', ...definition }).success).toBe(false);
  });

  it('is refused as a whole if it is too long', () => {
    const definition = {
      prompt: 'x'.repeat(99_000),
      success_criteria: '"'.repeat(10_000),
      first_message: '"'.repeat(5_000),
    };
    const more = { analysis_schema: { type: 'object', properties: { a: { description: 'x'.repeat(16_000) } } } };
    const voice = { name: '"'.repeat(200), voice: '"'.repeat(100) };
    const whole = { ...definition, ...more, ...voice };
    const isTooLong = JSON.stringify(whole).length > 150_000;
    expect(readDefinition(whole).ok).toBe(!isTooLong);
    expect(readDefinition({ ...whole, prompt: '"'.repeat(100_000) })).toEqual({
      ok: false,
      problem: 'The definition must have at most 150000 characters.',
    });
  });
});
