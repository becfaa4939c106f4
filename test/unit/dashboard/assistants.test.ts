import fc from 'fast-check';
import {
  type AnalysisField,
  fieldsOf,
  fieldTypes,
  lacksChoices,
  problemOf,
  schemaOf,
} from '../../../dashboard/pages/assistant/analysis-fields.ts';
import { changeOf, definitionForm, valuesOf } from '../../../dashboard/pages/assistant/definition-form.ts';
import { examples, namedExample } from '../../../dashboard/words/assistants/assistant-examples.ts';
import {
  isDefinitionMember,
  memberNames,
  parseDuration,
  placeholderFor,
  samples,
} from '../../../dashboard/words/assistants/assistants.ts';
import { formatEditedMember } from '../../../dashboard/words/assistants/edited-member.ts';
import { spokenVariables } from '../../../shared/domain/calls/conversation/crm-fields.ts';
import { readDefinition } from '../../../shared/domain/organizations/assistants/assistant-definition.ts';
import { render, variablesIn } from '../../../shared/domain/organizations/assistants/assistant-template.ts';
import { viewAssistant } from '../../../shared/domain/organizations/assistants/assistant-view.ts';
import { forAll } from '../../support/values/for-all.ts';
import { anAssistant } from '../support/worlds/items.ts';

const stored = viewAssistant(
  anAssistant({
    voice: 'Neha',
    transfer_number: '+918012345678',
    analysis_schema: { type: 'object', properties: { budget: { type: 'number' } } },
  }),
);
const values = valuesOf(stored);
const errorOf = (change: Partial<typeof values>) => {
  const { error } = definitionForm.safeParse({ ...values, ...change });
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
};

describe('the form of a definition', () => {
  it('changes nothing until a person edits it', () => {
    expect(errorOf({})).toBeUndefined();
    expect(changeOf(stored, values)).toEqual({});
  });

  it('sends only changed fields, and null for emptied ones', () => {
    const typed = { ...values, voice: ' ', transfer_number: '+91 80-9999 5678', max_duration_seconds: '2:30' };
    expect(errorOf(typed)).toBeUndefined();
    expect(changeOf(stored, typed)).toEqual({
      voice: null,
      transfer_number: '+918099995678',
      max_duration_seconds: 150,
    });
  });

  it.each<[Partial<typeof values>, RegExp]>([
    [{ name: ' ' }, /^name: must have 1 to 200/],
    [{ transfer_number: '080 1234' }, /^transfer_number: must be a phone number with its country code/],
    [{ max_duration_seconds: '61' }, /^max_duration_seconds: must be 0:10 to 60:00/],
    [{ max_duration_seconds: '0:09' }, /^max_duration_seconds/],
    [{ max_duration_seconds: 'ten' }, /^max_duration_seconds/],
    [{ analysis_schema: '{' }, /^analysis_schema: must be JSON/],
    [{ analysis_schema: '{"type":"object","properties":{"a":{"$ref":"#"}}}' }, /^analysis_schema: .*\$ref is not/],
  ])('refuses %j by the rules of the API', (change, reason) => {
    expect(errorOf(change)?.join()).toMatch(reason);
  });

  it('names every field that an API error can name', () => {
    for (const name of Object.keys(values)) expect([name, isDefinitionMember(name)]).toEqual([name, true]);
    expect(Object.keys(memberNames).sort()).toEqual(Object.keys(values).sort());
  });
});

describe('a member that two people have edited', () => {
  const beginning = 'You are Asha. '.repeat(100);

  it('shows the place where two long texts differ', () => {
    const [theirs, mine] = [`${beginning}Offer Saturday.`, `${beginning}Offer Sunday.`];
    expect(formatEditedMember('prompt', theirs, mine)).toMatch(/^….*Offer Saturday\.$/);
    expect(formatEditedMember('prompt', mine, theirs)).toMatch(/^….*Offer Sunday\.$/);
    expect(formatEditedMember('prompt', beginning, `Hello. ${beginning}`)).toMatch(/^You are Asha.*…$/);
  });

  it('shows short values whole, and a duration as the form does', () => {
    expect(formatEditedMember('voice', 'Elliot', 'Rohan')).toBe('Elliot');
    expect(formatEditedMember('voice', null, 'Rohan')).toBe('removed');
    expect(formatEditedMember('max_duration_seconds', 150, 600)).toBe('2:30');
  });
});

describe('a typed duration', () => {
  it.each([
    ['10', 600],
    ['2:30', 150],
    [' 0:10 ', 10],
    ['2:60', undefined],
    ['', undefined],
    ['1.5', undefined],
  ])('is read in seconds, or refused: %j is %s', (text, seconds) => expect(parseDuration(text)).toBe(seconds));
});

describe('the fields of an analysis', () => {
  const word = fc.stringMatching(/^[a-z][a-z_]{0,8}$/);
  const field: fc.Arbitrary<AnalysisField> = fc.record({
    name: word,
    type: fc.constantFrom(...fieldTypes),
    description: fc.oneof(fc.constant(''), word),
    isRequired: fc.boolean(),
    options: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(', ')),
  });
  const fields = fc.uniqueArray(field, { selector: ({ name }) => name, maxLength: 5 });

  it('become a schema that the service accepts, and are read back unchanged', () => {
    forAll([fields], { numRuns: 100 }, (shown) => {
      const text = schemaOf(shown);
      expect(fieldsOf(text)).toEqual(
        shown.map((one) => ({ ...one, options: one.type === 'choice' ? one.options : '' })),
      );
      if (text !== '') expect(readDefinition({ analysis_schema: JSON.parse(text) }).ok).toBe(true);
    });
  });

  it.each([
    '{',
    '[]',
    '{"type":"object"}',
    '{"type":"object","properties":{"a":{"type":"array"}}}',
    '{"type":"object","properties":{"a":{"type":"string","maxLength":3}}}',
    '{"type":"object","properties":{"a":{"type":"string","enum":["a,b"]}}}',
    '{"type":"object","properties":{},"required":["a"]}',
    '{"type":"object","properties":{},"title":"x"}',
  ])('are not shown for %s, because the form would lose a part of it', (text) =>
    expect(fieldsOf(text)).toBeUndefined(),
  );

  it('are shown with a warning if they are not saved', () => {
    const one: AnalysisField = { name: 'a', type: 'string', description: '', isRequired: false, options: '' };
    expect(problemOf([one], 0)).toBeUndefined();
    expect(problemOf([{ ...one, name: ' ' }], 0)).toMatch(/without a name/);
    expect(problemOf([one, one], 0)).toMatch(/Two fields/);
  });

  it('include only the last of two with the same name', () => {
    const one: AnalysisField = { name: 'a', type: 'string', description: '', isRequired: false, options: '' };
    const [former, last] = [
      { ...one, isRequired: true },
      { ...one, name: ' a ', type: 'number' as const },
    ];
    expect(fieldsOf(schemaOf([former, last]))).toEqual([{ ...last, name: 'a' }]);
  });

  it('are refused if a choice has no options, and stay a choice', () => {
    const one: AnalysisField = { name: 'a', type: 'choice', description: '', isRequired: false, options: ' , ' };
    const analysis_schema = schemaOf([one]);
    expect(fieldsOf(analysis_schema)).toEqual([{ ...one, options: '' }]);
    expect(errorOf({ analysis_schema })?.join()).toMatch(
      /^analysis_schema: .*properties\.a\.enum: must have at least one choice/,
    );
    expect([one, { ...one, options: 'x' }, { ...one, type: 'string' as const }].map(lacksChoices)).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the examples', () => {
  it.each(examples)('$title: is accepted by the service, and each sample fills its placeholders', ({ definition }) => {
    expect(readDefinition(definition).ok).toBe(true);
    expect(fieldsOf(JSON.stringify(definition.analysis_schema))).toBeDefined();
    for (const { values: known } of samples)
      expect(render(definition.first_message, spokenVariables(known))).not.toMatch(/\{\{|\s[,.]/);
    expect(variablesIn(definition.first_message)).toHaveLength(definition.first_message.split('{{').length - 1);
  });

  it.each(examples)("$title: uses the assistant's own name", (example) => {
    const { name, first_message, prompt } = namedExample(example, 'Mr. $& Rao');
    expect(name).toBe('Mr. $& Rao');
    expect(first_message).toContain('this is Mr. $& Rao.');
    expect(prompt).toContain('You are Mr. $& Rao. You');
    expect(first_message + prompt).not.toContain(example.definition.name);
  });
});

it.each([
  ['name', '{{name|there}}'],
  ['FirstName', '{{FirstName|there}}'],
  ['Full_Name', '{{Full_Name|there}}'],
  ['mx_City', '{{mx_City|your city}}'],
  ['order', '{{order}}'],
])('offers %s as %s', (name, placeholder) => expect(placeholderFor(name)).toBe(placeholder));
