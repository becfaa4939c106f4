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
  it('is a flat lead for event 3, lead created', () => {
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

  it('has the lead before and after for event 4, owner changed, and only the lead after counts', () => {
    const before = { ...flat, ProspectID: 'former', OwnerId: 'former', Phone: '1', DoNotCall: '1', mx_City: 'former' };
    const payload = one({ ...before, Before: before, After: flat });
    expect(payload.event).toBe('owner_reassignment');
    expect(payload.lead).toEqual(leadOf(flat));
    expect(JSON.stringify(payload.lead)).not.toContain('former');
  });

  it.each([null, undefined, 'x', 7, true, [], [flat], {}])(
    'has no lead id if the lead after the change is invalid: %j',
    (After) => {
      const payload = one({ ...flat, Before: flat, After });
      expect(payload.event).toBe('owner_reassignment');
      expect(payload.lead).toEqual({ phones: [], do_not_call: false, fields: {} });
    },
  );

  it('gives a lead without data if it has only the lead before the change', () => {
    const payload = one({ Before: flat });
    expect(payload.lead).toEqual({ phones: [], do_not_call: false, fields: {} });
    expect(payload.keys).toEqual(['Before']);
  });

  it('may be an envelope of automations', () => {
    expect(one({ Current: flat, Other: 'x' })).toEqual({
      event: 'new_lead',
      lead: leadOf(flat),
      keys: ['Current', 'Other', ...Object.keys(flat).map((name) => `Current.${name}`)],
    });
    expect(leadOf({ ...flat, Current: 'yes' })).toMatchObject({ lead_id: 'lead-1' });
    expect(one({ Current: { ...flat, ProspectID: 'x' }, After: flat }).lead).toEqual(leadOf(flat));
  });

  it.each(['After', 'after', 'AFTER', ' A_f ter '])('may spell the name of its envelope differently: %j', (name) => {
    expect(one({ [name]: flat })).toMatchObject({ event: 'owner_reassignment', lead: { lead_id: 'lead-1' } });
  });

  it('may be a list of leads, which are read in order', () => {
    expect(readLeadPayloads([flat])).toEqual([one(flat)]);
    const second = { Before: flat, After: { ...flat, ProspectID: 'lead-2' } };
    const third = { ...flat, ProspectID: 'lead-3', OwnerId: undefined };
    expect(readLeadPayloads([flat, second, third])).toEqual([one(flat), one(second), one(third)]);
  });

  it('may be a list with invalid entries, which become entries without an id', () => {
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

  it.each([undefined, null, '', 'x', 7, true, [], [null], ['x', 7, [flat]]])(
    'is no lead if it is invalid: %j',
    (body) => {
      expect(readLeadPayloads(body)).toBeUndefined();
    },
  );

  it('gives at most 500 leads', () => {
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

  it('is the ProspectID, else the LeadId, else the Id', () => {
    expect(leadOf({ Id: 'c', LeadId: 'b', ProspectID: 'a' }).lead_id).toBe('a');
    expect(leadOf({ Id: 'c', LeadId: 'b', ProspectID: null }).lead_id).toBe('b');
    expect(leadOf({ Id: 'c', LeadId: ' ', ProspectID: '' }).lead_id).toBe('c');
  });

  it('is neither the display number nor the id of another record', () => {
    const other = { ProspectAutoId: '1', OwnerId: '2', ActivityId: '3', 'Prospect-ID': '4', XId: '5' };
    expect(leadOf(other)).not.toHaveProperty('lead_id');
  });

  it('is trimmed text of 1 to 200 characters, or a number', () => {
    expect(leadOf({ ProspectID: 'x'.repeat(200) }).lead_id).toBe('x'.repeat(200));
    expect(leadOf({ ProspectID: 'x'.repeat(201) })).not.toHaveProperty('lead_id');
    expect(leadOf({ ProspectID: '  lead-1\n' }).lead_id).toBe('lead-1');
    expect(leadOf({ ProspectID: 4711 }).lead_id).toBe('4711');
    for (const ProspectID of ['', '  ', null, {}, ['lead-1'], { id: 'lead-1' }])
      expect(leadOf({ ProspectID })).not.toHaveProperty('lead_id');
  });

  it('is the first value if a name occurs in two spellings', () => {
    expect(leadOf({ ProspectID: null, prospect_id: 'b' }).lead_id).toBe('b');
    expect(leadOf({ ProspectID: 'a', prospect_id: 'b' }).lead_id).toBe('a');
  });

  it('is read although another spelling of its name is empty, and so is a phone', () => {
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

  it('are in the order in which they are dialed, whatever the order of the members', () => {
    const names = ['Phone', 'Mobile', 'Phone Number', 'Contact_Number', 'mx_Phone', 'mx_Mobile'];
    fc.assert(
      fc.property(fc.shuffledSubarray(names), (some) => {
        const lead = leadOf({ X: '1', ...Object.fromEntries(some.map((name) => [name, name])) });
        expect(lead.phones).toEqual(names.filter((name) => some.includes(name)));
      }),
    );
  });

  it('may be numbers, but never empty, an object or a list', () => {
    expect(leadOf({ Phone: 919876543210, Mobile: ' ' }).phones).toEqual(['919876543210']);
    for (const Phone of [null, '', {}, { number: '+91' }, ['+919876543210']])
      expect(leadOf({ Phone }).phones).toEqual([]);
  });

  it('are not read from a fax or a flag', () => {
    expect(leadOf({ Fax: '+91-1', PhoneCountry: 'IN', mx_Alternate_Phone: '1', DoNotCall: '1' }).phones).toEqual([]);
  });

  it('are truncated, to limit text from outside', () => {
    expect(leadOf({ Phone: '9'.repeat(10_000) }).phones).toEqual(['9'.repeat(80)]);
  });
});

describe('the owner of a lead', () => {
  it.each(['OwnerId', 'ownerid', 'Owner_Id', 'OWNER ID'])('is read from %s', (name) => {
    expect(leadOf({ [name]: 'owner-1' }).owner_id).toBe('owner-1');
  });

  it('is undefined if the lead has no owner', () => {
    for (const OwnerId of [undefined, null, '', ' ', {}, []])
      expect(leadOf({ OwnerId })).not.toHaveProperty('owner_id');
    expect(leadOf({ OwnerIdName: 'Asha', CreatedBy: 'x', ModifiedBy: 'y' })).not.toHaveProperty('owner_id');
  });
});

describe('the do-not-call flag of the CRM', () => {
  it.each(['1', 'true', 'True', 'TRUE', 'yes', ' 1 ', 1, true])('is set by %j', (DoNotCall) => {
    expect(leadOf({ DoNotCall }).do_not_call).toBe(true);
    expect(leadOf({ do_not_call: DoNotCall }).do_not_call).toBe(true);
  });

  it.each(['0', 'false', '', ' ', 'no', 'null', '10', '01', 'untrue', 0, false, null, undefined, {}, [1]])(
    'is not set by %j',
    (DoNotCall) => {
      expect(leadOf({ DoNotCall }).do_not_call).toBe(false);
    },
  );

  it('is not the do-not-email flag', () => {
    expect(leadOf({ DoNotEmail: '1', DoNotTrack: '1' }).do_not_call).toBe(false);
  });
});

describe('the fields of a lead', () => {
  it('are the ones that have a value, as text under their own names', () => {
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

  it('have line breaks in place of the marks that the vendor uses', () => {
    expect(leadOf({ Notes: 'a{mxnewline}b{mxnewline}{mxnewline}c{mxnewline}' }).fields).toEqual({ Notes: 'a\nb\n\nc' });
    expect(leadOf({ Notes: '{mxnewline}', ProspectID: '{mxnewline}' })).toEqual({
      phones: [],
      do_not_call: false,
      fields: {},
    });
  });

  it('are at most 100, with names of 80 characters that a template accepts and values of 500', () => {
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

  it('are harmless with the names of built-in object members', () => {
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

/** Arbitrary JSON, often in the form of a delivery. */
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
      // JSON.parse creates own members, even one called `__proto__`.
      .map((members) => Object.fromEntries(members)),
    fc.array(tie('body'), { maxLength: 5 }),
    fc.jsonValue(),
  ),
}));

const expectText = (text: string, most: number) => {
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(most);
};

describe('any JSON', () => {
  it('is read without an error, as leads with text of limited size or as no lead', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const payloads = readLeadPayloads(body);
        if (payloads === undefined) return;
        expect(payloads).toHaveLength(Array.isArray(body) ? body.length : 1);
        for (const { event, lead, keys } of payloads) {
          expect(['new_lead', 'owner_reassignment']).toContain(event);
          // The queue's schema omits a field of this name.
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

  it('becomes text without U+FFFE and U+FFFF, which the queue refuses', () => {
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

  it('is never truncated within a character', () => {
    const long = (most: number) => `${'x'.repeat(most - 1)}😀`;
    const body = { OwnerId: long(200), Phone: long(80), Notes: long(500), [long(80)]: 'v' };
    const { lead, keys } = one(body);
    const cut = (most: number) => `${'x'.repeat(most - 1)}\uFFFD`;
    expect(lead).toMatchObject({ owner_id: cut(200), phones: [cut(80)], fields: { Notes: cut(500) } });
    expect(keys.at(-1)).toBe(cut(80));
  });
});

describe('the keys of a delivery', () => {
  it('are the names of its members and of the lead in its envelope', () => {
    expect(one({ Before: flat, After: { ProspectID: 'lead-1', OwnerId: null }, Other: 'x' }).keys).toEqual([
      'Before',
      'After',
      'Other',
      'After.ProspectID',
      'After.OwnerId',
    ]);
    expect(one({ Current: { Id: '1', Phone: '2' } }).keys).toEqual(['Current', 'Current.Id', 'Current.Phone']);
    // Use the documented spelling, even if this delivery spells its envelope differently.
    expect(one({ A_fter: { Id: '1' } }).keys).toEqual(['A_fter', 'After.Id']);
  });

  it.each([null, undefined, 'x', 7, true, [], [flat], {}])('are only its own if the envelope is empty: %j', (inner) => {
    expect(one({ After: inner }).keys).toEqual(['After']);
    expect(one({ Current: inner }).keys).toEqual(['Current']);
  });

  it('include unusual names, so that an operator can see what was posted', () => {
    const odd = ['फ़ोन', 'Lead.Phone', 'a|b', '<lead>', 'e-mail?', '', ' ', "Customer's phone", 'a\nb', 'x[0]', 'Name:'];
    expect(one(Object.fromEntries(odd.map((name) => [name, 'SECRET']))).keys).toEqual(odd);
    // Most of these names cannot appear in a template.
    expect(Object.keys(leadOf(Object.fromEntries(odd.map((name) => [name, 'x']))).fields)).toEqual([
      'फ़ोन',
      'Lead.Phone',
      ' ',
    ]);
  });

  it.each(['{"Phone":"SECRET"}', '{SECRET', 'SECRET}', '"SECRET"', 'asha.SECRET@example.com', '{{SECRET}}'])(
    'hide a value in place of a name: %j',
    (name) => {
      expect(one({ a: 1, [name]: '', b: 2 }).keys).toEqual(['a', '(no name)', 'b']);
      expect(one({ After: { [name]: '' } }).keys).toEqual(['After', '(no name)']);
    },
  );

  it('hide a value in place of a name, even one longer than the limit', () => {
    expect(one({ [`${'k'.repeat(100)}@SECRET`]: '' }).keys).toEqual(['(no name)']);
  });

  it('include no lead id that has no characters left', () => {
    expect(one({ ProspectID: '\uFFFE', LeadId: ' \uFFFF ' }).lead.lead_id).toBeUndefined();
    expect(one({ ProspectID: '\uFFFE', LeadId: 'x\uFFFF' }).lead.lead_id).toBe('x');
  });

  it('have asterisks in place of five or more digits in any script', () => {
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

  it('are at most 200, of 80 characters each', () => {
    const many = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'SECRET']));
    expect(one(many('k', 300)).keys).toHaveLength(200);
    const { keys } = one({ ...many('k', 150), After: many('i', 150) });
    expect(keys).toHaveLength(200);
    expect(keys.slice(149, 152)).toEqual(['k149', 'After', 'After.i0']);
    expect(one({ ['k'.repeat(81)]: 'x' }).keys).toEqual(['k'.repeat(80)]);
    expect(one({ After: { ['k'.repeat(81)]: 'x' } }).keys).toEqual(['After', `After.${'k'.repeat(74)}`]);
  });

  it('are only names, whatever was posted', () => {
    fc.assert(
      fc.property(fc.array(anyBody, { minLength: 1, maxLength: 3 }), (entries) => {
        for (const [index, { event, keys }] of (readLeadPayloads(entries) ?? []).entries()) {
          const entry = asMembers(entries[index]);
          const envelope = event === 'owner_reassignment' ? 'After' : 'Current';
          const inner = Object.entries(entry)
            .filter(([name]) => name.toLowerCase().replace(/[\s_]/g, '') === envelope.toLowerCase())
            .flatMap(([, value]) => Object.keys(asMembers(value)).map((name) => `${envelope}.${name}`));
          const names = [...Object.keys(entry), ...inner];
          // A simple name is logged unchanged; any other is only counted.
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
