import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { leadSchema } from '../../../shared/domain/leads/lead.ts';
import { type LeadPayload, readLeadPayloads } from '../../../shared/integrations/crm-a/lead-payload.ts';

const one = (body: unknown): LeadPayload => {
  const payloads = readLeadPayloads(body);
  expect(payloads).toHaveLength(1);
  return (payloads as LeadPayload[])[0] as LeadPayload;
};
const leadOf = (body: unknown) => one(body).lead;

const flat = {
  ProspectID: 'lead-1',
  FirstName: 'Asha',
  Phone: '+91-9876543210',
  Mobile: null,
  OwnerId: 'owner-1',
  DoNotCall: '0',
};

describe('the body of a delivery', () => {
  it('is a flat lead: event 3, lead created', () => {
    expect(one(flat)).toEqual({
      event: 'new_lead',
      lead: {
        lead_id: 'lead-1',
        phones: ['+91-9876543210'],
        owner_id: 'owner-1',
        do_not_call: false,
        fields: {
          ProspectID: 'lead-1',
          FirstName: 'Asha',
          Phone: '+91-9876543210',
          OwnerId: 'owner-1',
          DoNotCall: '0',
        },
      },
      keys: ['ProspectID', 'FirstName', 'Phone', 'Mobile', 'OwnerId', 'DoNotCall'],
    });
  });

  it('is a lead before and after: event 4, owner changed, of which only what is after counts', () => {
    const before = { ...flat, ProspectID: 'former', OwnerId: 'former', Phone: '1', DoNotCall: '1', mx_City: 'former' };
    const payload = one({ ...before, Before: before, After: flat });
    expect(payload.event).toBe('owner_reassignment');
    expect(payload.lead).toEqual(leadOf(flat));
    expect(JSON.stringify(payload.lead)).not.toContain('former');
  });

  it.each([null, undefined, 'x', 7, true, [], [flat], {}])(
    'has no lead id where what is after is none, whatever stands beside it: %j',
    (After) => {
      const payload = one({ ...flat, Before: flat, After });
      expect(payload.event).toBe('owner_reassignment');
      expect(payload.lead).toEqual({ phones: [], do_not_call: false, fields: {} });
    },
  );

  it('with only what was before is a lead of which nothing is known', () => {
    const payload = one({ Before: flat });
    expect(payload.lead).toEqual({ phones: [], do_not_call: false, fields: {} });
    expect(payload.keys).toEqual(['Before']);
  });

  it('is an envelope of automations', () => {
    expect(one({ Current: flat, Other: 'x' })).toEqual({
      event: 'new_lead',
      lead: leadOf(flat),
      keys: ['Current', 'Other', ...Object.keys(flat).map((name) => `Current.${name}`)],
    });
    expect(leadOf({ ...flat, Current: 'yes' })).toMatchObject({ lead_id: 'lead-1' });
    expect(one({ Current: { ...flat, ProspectID: 'x' }, After: flat }).lead).toEqual(leadOf(flat));
  });

  it.each(['After', 'after', 'AFTER', ' A_f ter '])('has its envelope in any spelling: %j', (name) => {
    expect(one({ [name]: flat })).toMatchObject({ event: 'owner_reassignment', lead: { lead_id: 'lead-1' } });
  });

  it('is a list of leads, in their order, each by itself', () => {
    expect(readLeadPayloads([flat])).toEqual([one(flat)]);
    const second = { Before: flat, After: { ...flat, ProspectID: 'lead-2' } };
    const third = { ...flat, ProspectID: 'lead-3', OwnerId: undefined };
    expect(readLeadPayloads([flat, second, third])).toEqual([one(flat), one(second), one(third)]);
  });

  it('is a list with garbage among the leads: the leads are read, and each piece of garbage is an entry without an id', () => {
    const nothing = { event: 'new_lead', lead: { phones: [], do_not_call: false, fields: {} }, keys: [] };
    expect(readLeadPayloads([null, flat, 'x', 7, [flat], undefined, {}])).toEqual([
      nothing,
      one(flat),
      nothing,
      nothing,
      nothing,
      nothing,
      nothing,
    ]);
  });

  it.each([undefined, null, '', 'x', 7, true, [], [null], ['x', 7, [flat]]])('is no lead at all: %j', (body) => {
    expect(readLeadPayloads(body)).toBeUndefined();
  });

  it('has 500 leads at most', () => {
    expect(readLeadPayloads(Array.from({ length: 500 }, () => flat))).toHaveLength(500);
    expect(readLeadPayloads(Array.from({ length: 501 }, () => flat))).toBeUndefined();
  });
});

describe('the id of a lead', () => {
  it.each([
    'ProspectID',
    'ProspectId',
    'prospect_id',
    'Prospect ID',
    'PROSPECTID',
    'LeadId',
    'Lead_ID',
    'lead id',
    'Id',
    'ID',
    'id',
  ])('is read from %s', (name) => {
    expect(leadOf({ [name]: 'lead-1' }).lead_id).toBe('lead-1');
  });

  it('is the ProspectID before the LeadId before the Id, of those that have a value', () => {
    expect(leadOf({ Id: 'c', LeadId: 'b', ProspectID: 'a' }).lead_id).toBe('a');
    expect(leadOf({ Id: 'c', LeadId: 'b', ProspectID: null }).lead_id).toBe('b');
    expect(leadOf({ Id: 'c', LeadId: ' ', ProspectID: '' }).lead_id).toBe('c');
  });

  it('is not the number that people see, nor that of something else', () => {
    const other = { ProspectAutoId: '1', OwnerId: '2', ActivityId: '3', 'Prospect-ID': '4', XId: '5' };
    expect(leadOf(other)).not.toHaveProperty('lead_id');
  });

  it('is text of 1 to 200 characters, without the blanks around it; a number counts', () => {
    expect(leadOf({ ProspectID: 'x'.repeat(200) }).lead_id).toBe('x'.repeat(200));
    expect(leadOf({ ProspectID: 'x'.repeat(201) })).not.toHaveProperty('lead_id');
    expect(leadOf({ ProspectID: '  lead-1\n' }).lead_id).toBe('lead-1');
    expect(leadOf({ ProspectID: 4711 }).lead_id).toBe('4711');
    for (const ProspectID of ['', '  ', null, {}, ['lead-1'], { id: 'lead-1' }])
      expect(leadOf({ ProspectID })).not.toHaveProperty('lead_id');
  });

  it('is, of two spellings of one name, the first that has a value', () => {
    expect(leadOf({ ProspectID: null, prospect_id: 'b' }).lead_id).toBe('b');
    expect(leadOf({ ProspectID: 'a', prospect_id: 'b' }).lead_id).toBe('a');
  });

  it('is not hidden by an empty text under another spelling, and neither is a phone', () => {
    expect(leadOf({ ProspectID: '', prospect_id: 'b' }).lead_id).toBe('b');
    expect(leadOf({ Phone: ' ', phone: '9876543210' }).phones).toEqual(['9876543210']);
  });
});

describe('the phones of a lead', () => {
  it.each([
    'Phone',
    'phone',
    'Mobile',
    'PhoneNumber',
    'phone_number',
    'Contact Number',
    'ContactNumber',
    'mx_Phone',
    'mx_Mobile',
    'Mx_phone',
  ])('are read from %s', (name) => {
    expect(leadOf({ [name]: '+91-9876543210' }).phones).toEqual(['+91-9876543210']);
  });

  it('stand in the order in which they are tried, whatever the order of the members', () => {
    const names = ['Phone', 'Mobile', 'Phone Number', 'Contact_Number', 'mx_Phone', 'mx_Mobile'];
    fc.assert(
      fc.property(fc.shuffledSubarray(names), (some) => {
        const lead = leadOf({ X: '1', ...Object.fromEntries(some.map((name) => [name, name])) });
        expect(lead.phones).toEqual(names.filter((name) => some.includes(name)));
      }),
    );
  });

  it('are numbers, too, and never nothing, an object or a list', () => {
    expect(leadOf({ Phone: 919876543210, Mobile: ' ' }).phones).toEqual(['919876543210']);
    for (const Phone of [null, '', {}, { number: '+91' }, ['+919876543210']])
      expect(leadOf({ Phone }).phones).toEqual([]);
  });

  it('are not read from a fax or a flag', () => {
    expect(leadOf({ Fax: '+91-1', PhoneCountry: 'IN', mx_Alternate_Phone: '1', DoNotCall: '1' }).phones).toEqual([]);
  });

  it('are cut, so that no text of a stranger is carried along', () => {
    expect(leadOf({ Phone: '9'.repeat(10_000) }).phones).toEqual(['9'.repeat(80)]);
  });
});

describe('the owner of a lead', () => {
  it.each(['OwnerId', 'ownerid', 'Owner_Id', 'OWNER ID'])('is read from %s', (name) => {
    expect(leadOf({ [name]: 'owner-1' }).owner_id).toBe('owner-1');
  });

  it('is none where there is none', () => {
    for (const OwnerId of [undefined, null, '', ' ', {}, []])
      expect(leadOf({ OwnerId })).not.toHaveProperty('owner_id');
    expect(leadOf({ OwnerIdName: 'Asha', CreatedBy: 'x', ModifiedBy: 'y' })).not.toHaveProperty('owner_id');
  });
});

describe("the CRM's flag not to call", () => {
  it.each(['1', 'true', 'True', 'TRUE', 'yes', ' 1 ', 1, true])('stands for %j', (DoNotCall) => {
    expect(leadOf({ DoNotCall }).do_not_call).toBe(true);
    expect(leadOf({ do_not_call: DoNotCall }).do_not_call).toBe(true);
  });

  it.each(['0', 'false', '', ' ', 'no', 'null', '10', '01', 'untrue', 0, false, null, undefined, {}, [1]])(
    'does not stand for %j',
    (DoNotCall) => {
      expect(leadOf({ DoNotCall }).do_not_call).toBe(false);
    },
  );

  it('is another than the one not to mail', () => {
    expect(leadOf({ DoNotEmail: '1', DoNotTrack: '1' }).do_not_call).toBe(false);
  });
});

describe('the fields of a lead', () => {
  it('are those that have a value, as text under their own names', () => {
    expect(
      leadOf({
        FirstName: ' Asha ',
        Age: 7,
        Vip: false,
        None: null,
        Empty: '',
        Blank: ' ',
        List: ['x'],
        Nested: { a: 1 },
      }).fields,
    ).toEqual({ FirstName: 'Asha', Age: '7', Vip: 'false' });
  });

  it("have line breaks where the vendor's marks stand", () => {
    expect(leadOf({ Notes: 'a{mxnewline}b{mxnewline}{mxnewline}c{mxnewline}' }).fields).toEqual({ Notes: 'a\nb\n\nc' });
    expect(leadOf({ Notes: '{mxnewline}', ProspectID: '{mxnewline}' })).toEqual({
      phones: [],
      do_not_call: false,
      fields: {},
    });
  });

  it('are at most 100, with names a template can hold of 80 characters and values of 500', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, 'x'.repeat(600)]));
    const { fields } = leadOf(many);
    expect(Object.keys(fields)).toHaveLength(100);
    for (const value of Object.values(fields)) expect(value).toBe('x'.repeat(500));
    const longest = 'n'.repeat(80);
    expect(
      leadOf({ [longest]: 'a', [`${longest}n`]: 'b', 'a|b': 'c', '{{x}}': 'd', '<lead>': 'e', 'a\nb': 'f', '': 'g' })
        .fields,
    ).toEqual({ [longest]: 'a' });
  });

  it('are harmless under names that objects have by themselves', () => {
    const raw = JSON.parse(
      '{"__proto__":{"ProspectID":"evil","polluted":"x"},"constructor":"c","toString":"t","hasOwnProperty":"h","ProspectID":"lead-1"}',
    );
    const { lead } = one(raw);
    expect(lead.lead_id).toBe('lead-1');
    expect(Object.getPrototypeOf(lead.fields)).toBe(Object.prototype);
    expect(lead.fields.constructor).toBe('c');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(leadOf(JSON.parse('{"__proto__":{"ProspectID":"evil"}}'))).not.toHaveProperty('lead_id');
    expect(leadOf(JSON.parse('{"__proto__":"x","After":{"__proto__":{"Phone":"1"}}}')).phones).toEqual([]);
  });
});

/** Anything that JSON can say, often shaped like a delivery. */
const names = fc.oneof(
  fc.constantFrom(
    'ProspectID',
    'prospect_id',
    'LeadId',
    'Id',
    'Phone',
    'mx_Phone',
    'Contact Number',
    'OwnerId',
    'DoNotCall',
    'After',
    'Before',
    'Current',
    '__proto__',
    'constructor',
  ),
  fc.string({ maxLength: 120 }),
);
const leaves = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, 1e21, '', '{mxnewline}', '__proto__', 'x'.repeat(700)),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.double(),
);
const { body: anyBody } = fc.letrec<{ body: unknown }>((tie) => ({
  body: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaves,
    fc
      .array(fc.tuple(names, tie('body')), { maxLength: 8 })
      // As JSON.parse makes them: own members, also `__proto__`.
      .map((members) => Object.fromEntries(members)),
    fc.array(tie('body'), { maxLength: 5 }),
    fc.jsonValue(),
  ),
}));

const expectText = (text: string, most: number) => {
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(most);
};

describe('any JSON at all', () => {
  it('is read without an error, as leads of strings of bounded size, or as nothing', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const payloads = readLeadPayloads(body);
        if (payloads === undefined) return;
        expect(payloads).toHaveLength(Array.isArray(body) ? body.length : 1);
        for (const { event, lead, keys } of payloads) {
          expect(['new_lead', 'owner_reassignment']).toContain(event);
          // The queue's schema leaves a field of this name out.
          const { ['__proto__']: _left, ...fieldsKept } = lead.fields;
          expect(leadSchema.parse(lead)).toEqual({ ...lead, fields: fieldsKept });
          if (lead.lead_id !== undefined) expectText(lead.lead_id, 200);
          if (lead.owner_id !== undefined) expectText(lead.owner_id, 200);
          expect(lead.phones.length).toBeLessThanOrEqual(6);
          for (const phone of lead.phones) expectText(phone, 80);
          const fields = Object.entries(lead.fields);
          expect(fields.length).toBeLessThanOrEqual(100);
          for (const [name, value] of fields) {
            expect(name).toMatch(/^[\w $.-]{1,80}$/);
            expectText(value, 500);
          }
          expect(keys.length).toBeLessThanOrEqual(200);
          for (const key of keys) expect(key.length).toBeLessThanOrEqual(80);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is text that the queue takes: it refuses a message with U+FFFE or U+FFFF', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        expect(JSON.stringify(readLeadPayloads(body) ?? [])).toMatch(/^[^\uFFFE\uFFFF]*$/);
      }),
    );
    const odd = { ProspectID: 'a\uFFFEb', Phone: '1\uFFFF2', OwnerId: '\uFFFEx', Notes: 'n\uFFFF', 'k\uFFFE': 'v' };
    expect(one(odd)).toEqual({
      event: 'new_lead',
      lead: {
        lead_id: 'ab',
        phones: ['12'],
        owner_id: 'x',
        do_not_call: false,
        fields: { ProspectID: 'ab', Phone: '12', OwnerId: 'x', Notes: 'n' },
      },
      keys: ['ProspectID', 'Phone', 'OwnerId', 'Notes', 'k'],
    });
  });

  it('has no half of a character where it was cut', () => {
    const long = (most: number) => `${'x'.repeat(most - 1)}😀`;
    const body = { OwnerId: long(200), Phone: long(80), Notes: long(500), [long(80)]: 'v' };
    const { lead, keys } = one(body);
    const cut = (most: number) => `${'x'.repeat(most - 1)}\uFFFD`;
    expect(lead).toMatchObject({ owner_id: cut(200), phones: [cut(80)], fields: { Notes: cut(500) } });
    expect(keys.at(-1)).toBe(cut(80));
  });
});

describe('the keys of a delivery', () => {
  it('are the names of its members, and of those of the lead in its envelope', () => {
    expect(one({ Before: flat, After: { ProspectID: 'lead-1', OwnerId: null }, Other: 'x' }).keys).toEqual([
      'Before',
      'After',
      'Other',
      'After.ProspectID',
      'After.OwnerId',
    ]);
    expect(one({ Current: { Id: '1', Phone: '2' } }).keys).toEqual(['Current', 'Current.Id', 'Current.Phone']);
    // Spelled as the documents do, whatever the envelope is called here.
    expect(one({ A_fter: { Id: '1' } }).keys).toEqual(['A_fter', 'After.Id']);
  });

  it.each([null, undefined, 'x', 7, true, [], [flat], {}])(
    'are its own alone where the envelope is empty: %j',
    (inner) => {
      expect(one({ After: inner }).keys).toEqual(['After']);
      expect(one({ Current: inner }).keys).toEqual(['Current']);
    },
  );

  it('keep odd names, so that one can see what was posted', () => {
    const odd = ['फ़ोन', 'Lead.Phone', 'a|b', '<lead>', 'e-mail?', '', ' ', "Customer's phone", 'a\nb', 'x[0]', 'Name:'];
    expect(one(Object.fromEntries(odd.map((name) => [name, 'SECRET']))).keys).toEqual(odd);
    // Though no template can hold most of them.
    expect(Object.keys(leadOf(Object.fromEntries(odd.map((name) => [name, 'x']))).fields)).toEqual([
      'फ़ोन',
      'Lead.Phone',
      ' ',
    ]);
  });

  it.each(['{"Phone":"SECRET"}', '{SECRET', 'SECRET}', '"SECRET"', 'asha.SECRET@example.com', '{{SECRET}}'])(
    'hide a name that is a value in its place: %j',
    (name) => {
      expect(one({ a: 1, [name]: '', b: 2 }).keys).toEqual(['a', '(no name)', 'b']);
      expect(one({ After: { [name]: '' } }).keys).toEqual(['After', '(no name)']);
    },
  );

  it('hide a value in the place of a name also where it stands beyond the cut', () => {
    expect(one({ [`${'k'.repeat(100)}@SECRET`]: '' }).keys).toEqual(['(no name)']);
  });

  it('hold no lead id that has no character left', () => {
    expect(one({ ProspectID: '\uFFFE', LeadId: ' \uFFFF ' }).lead.lead_id).toBeUndefined();
    expect(one({ ProspectID: '\uFFFE', LeadId: 'x\uFFFF' }).lead.lead_id).toBe('x');
  });

  it('have stars for digits where there are five and more, in whatever script', () => {
    const names = ['987-654-3210', '+1 (212) 555-0123', '９８７６５', 'phone_98765', 'mx_Custom_1234', 'field12'];
    expect(one({ After: Object.fromEntries(names.map((name) => [`k ${name}`, ''])) }).keys).toEqual([
      'After',
      'After.k ***-***-****',
      'After.k +* (***) ***-****',
      'After.k *****',
      'After.k phone_*****',
      'After.k mx_Custom_1234',
      'After.k field12',
    ]);
  });

  it('are 200 at most, of 80 characters', () => {
    const many = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'SECRET']));
    expect(one(many('k', 300)).keys).toHaveLength(200);
    const { keys } = one({ ...many('k', 150), After: many('i', 150) });
    expect(keys).toHaveLength(200);
    expect(keys.slice(149, 152)).toEqual(['k149', 'After', 'After.i0']);
    expect(one({ ['k'.repeat(81)]: 'x' }).keys).toEqual(['k'.repeat(80)]);
    expect(one({ After: { ['k'.repeat(81)]: 'x' } }).keys).toEqual(['After', `After.${'k'.repeat(74)}`]);
  });

  it('are names and nothing but names, whatever was posted', () => {
    fc.assert(
      fc.property(fc.array(anyBody, { minLength: 1, maxLength: 3 }), (entries) => {
        for (const [index, { event, keys }] of (readLeadPayloads(entries) ?? []).entries()) {
          const entry = asMembers(entries[index]);
          const envelope = event === 'owner_reassignment' ? 'After' : 'Current';
          const inner = Object.entries(entry)
            .filter(([name]) => name.toLowerCase().replace(/[\s_]/g, '') === envelope.toLowerCase())
            .flatMap(([, value]) => Object.keys(asMembers(value)).map((name) => `${envelope}.${name}`));
          const names = [...Object.keys(entry), ...inner];
          // What is simple is told as it is; of all else, no more than that there was something.
          const isSimple = (name: string) => /^[\w $.-]*$/.test(name) && !/\d{5}/.test(name);
          const known = new Set(names.map((name) => name.slice(0, 80)));
          for (const key of keys.filter(isSimple)) expect(known).toContain(key);
          for (const key of keys) expect(key).not.toMatch(/[{}"@]|\d{5}/);
          expect(keys.length).toBeLessThanOrEqual(Math.min(200, names.length));
          expect(keys.slice(0, Object.keys(entry).length)).toHaveLength(Math.min(200, Object.keys(entry).length));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

const asMembers = (value: unknown): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
