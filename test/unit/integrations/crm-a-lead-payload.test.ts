import fc from 'fast-check';
import { leadSchema } from '../../../shared/domain/leads/lead.ts';
import { type LeadPayload, readLeadPayloads } from '../../../shared/integrations/crm-a/lead-payload.ts';
import { restRoutes } from '../../../shared/messages/rest/routes.ts';
import { anyCharacter } from '../../support/values/any-text.ts';
import { forAll } from '../../support/values/for-all.ts';

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
const emptyLead = { phones: [], do_not_call: false, fields: {} };
const notAnObject = [null, undefined, 'x', 7, true, [], [flat]];

describe('the body of a delivery', () => {
  it('is a flat lead for event 3, lead created', () => {
    const { Mobile: _, ...fields } = flat;
    expect(one(flat)).toEqual({
      event: 'new_lead',
      lead: { lead_id: 'lead-1', phones: ['+91-9876543210'], owner_id: 'owner-1', do_not_call: false, fields },
      keys: ['ProspectID', 'FirstName', 'Phone', 'Mobile', 'OwnerId', 'DoNotCall'],
    });
  });

  it('has the lead before and after for event 4, owner changed, and only the lead after counts', () => {
    const before = { ...flat, ProspectID: 'former', OwnerId: 'former', Phone: '1', DoNotCall: '1', mx_City: 'former' };
    const payload = one({ ...before, Before: before, After: flat });
    expect(payload).toMatchObject({ event: 'owner_reassignment', lead: leadOf(flat) });
    expect(JSON.stringify(payload.lead)).not.toContain('former');
  });

  it.each([...notAnObject, {}])('has no lead id if the lead after the change is invalid: %j', (After) => {
    const payload = one({ ...flat, Before: flat, After });
    expect([payload.event, payload.lead]).toEqual(['owner_reassignment', emptyLead]);
  });

  it('gives a lead without data if it has only the lead before the change', () => {
    expect(one({ Before: flat })).toMatchObject({ lead: emptyLead, keys: ['Before'] });
  });

  it('may be an envelope of automations', () => {
    expect(one({ Current: flat, Other: 'x' })).toEqual({
      event: 'new_lead',
      lead: leadOf(flat),
      keys: ['Current', 'Other', ...Object.keys(flat).map((name) => `Current.${name}`)],
    });
    expect(leadOf({ ...flat, Current: 'yes' })).toMatchObject({ lead_id: 'lead-1' });
    expect(leadOf({ Current: { ...flat, ProspectID: 'x' }, After: flat })).toEqual(leadOf(flat));
  });

  it.each(['After', 'after', 'AFTER', ' A_f ter '])('may spell the name of its envelope differently: %j', (name) => {
    expect(one({ [name]: flat })).toMatchObject({ event: 'owner_reassignment', lead: { lead_id: 'lead-1' } });
  });

  it('may be a list of leads, which are read in order', () => {
    const leads = [
      flat,
      { Before: flat, After: { ...flat, ProspectID: 'lead-2' } },
      { ...flat, ProspectID: 'lead-3', OwnerId: undefined },
    ];
    expect(readLeadPayloads([flat])).toEqual([one(flat)]);
    expect(readLeadPayloads(leads)).toEqual(leads.map(one));
  });

  it('may be a list with invalid entries, which become entries without an id', () => {
    const nothing = { event: 'new_lead', lead: emptyLead, keys: [] };
    expect(readLeadPayloads([null, flat, 'x', 7, [flat], undefined, {}])).toEqual(
      [nothing, one(flat)].concat(Array(5).fill(nothing)),
    );
  });

  it.each([undefined, null, '', 'x', 7, true, [], [null], ['x', 7, [flat]]])(
    'yields no lead if it is invalid: %j',
    (body) => {
      expect(readLeadPayloads(body)).toBeUndefined();
    },
  );

  it('fits the API document, even with invalid entries', () => {
    const route = restRoutes.find(({ summary }) => summary === 'Receive leads of CRM-A');
    const isDescribed = (body: unknown) => route && 'request' in route && route.request.safeParse(body).success;
    expect([flat, [flat], [null, flat, 'x', 7, [flat], {}]].map(isDescribed)).toEqual([true, true, true]);
  });

  it('gives at most 500 leads', () => {
    expect(readLeadPayloads(Array(500).fill(flat))).toHaveLength(500);
    expect(readLeadPayloads(Array(501).fill(flat))).toBeUndefined();
  });
});

describe('the id of a lead', () => {
  const idNames = 'ProspectID ProspectId prospect_id PROSPECTID LeadId Lead_ID Id ID id'.split(' ');
  it.each([...idNames, 'Prospect ID', 'lead id'])('is read from %s', (name) => {
    expect(leadOf({ [name]: 'lead-1' }).lead_id).toBe('lead-1');
  });

  it.each([
    ['is the ProspectID', { Id: 'c', LeadId: 'b', ProspectID: 'a' }, 'a'],
    ['is the LeadId without a ProspectID', { Id: 'c', LeadId: 'b', ProspectID: null }, 'b'],
    ['is the Id without both', { Id: 'c', LeadId: ' ', ProspectID: '' }, 'c'],
    [
      'is not another id',
      { ProspectAutoId: '1', OwnerId: '2', ActivityId: '3', 'Prospect-ID': '4', XId: '5' },
      undefined,
    ],
    ['has 200 characters', { ProspectID: 'x'.repeat(200) }, 'x'.repeat(200)],
    ['does not have 201 characters', { ProspectID: 'x'.repeat(201) }, undefined],
    ['is trimmed', { ProspectID: '  lead-1\n' }, 'lead-1'],
    ['may be a number', { ProspectID: 4711 }, '4711'],
    ...['', '  ', null, {}, ['lead-1'], { id: 'lead-1' }].map(
      (ProspectID) => ['is text or a number', { ProspectID }, undefined] as const,
    ),
    ['is the first value of two spellings', { ProspectID: 'a', prospect_id: 'b' }, 'a'],
    ['is read if another spelling is null', { ProspectID: null, prospect_id: 'b' }, 'b'],
    ['is read if another spelling is empty', { ProspectID: '', prospect_id: 'b' }, 'b'],
    ['has at least one character that the queue accepts', { ProspectID: '\uFFFE', LeadId: ' \uFFFF ' }, undefined],
    ['has only characters that the queue accepts', { ProspectID: '\uFFFE', LeadId: 'x\uFFFF' }, 'x'],
  ] as const)('%s: %j', (_, body, id) => {
    expect(leadOf(body).lead_id).toBe(id);
  });
});

describe('the phones of a lead', () => {
  const phoneNames = 'Phone phone Mobile PhoneNumber phone_number ContactNumber mx_Phone mx_Mobile Mx_phone'.split(' ');
  it.each([...phoneNames, 'Contact Number'])('are read from %s', (name) => {
    expect(leadOf({ [name]: '+91-9876543210' }).phones).toEqual(['+91-9876543210']);
  });

  it('are in the order in which they are dialed, in any order of the members', () => {
    const names = ['Phone', 'Mobile', 'Phone Number', 'Contact_Number', 'mx_Phone', 'mx_Mobile'];
    forAll([fc.shuffledSubarray(names)], (some) => {
      const lead = leadOf({ X: '1', ...Object.fromEntries(some.map((name) => [name, name])) });
      expect(lead.phones).toEqual(names.filter((name) => some.includes(name)));
    });
  });

  it.each<[string, object, string[]]>([
    ['may be numbers', { Phone: 919876543210, Mobile: ' ' }, ['919876543210']],
    ...[null, '', {}, { number: '+91' }, ['+919876543210']].map((Phone): [string, object, string[]] => [
      'are text or numbers',
      { Phone },
      [],
    ]),
    ['are read if another spelling is empty', { Phone: ' ', phone: '9876543210' }, ['9876543210']],
    [
      'are neither fax numbers nor flags',
      { Fax: '+91-1', PhoneCountry: 'IN', mx_Alternate_Phone: '1', DoNotCall: '1' },
      [],
    ],
  ])('%s: %j', (_, body, phones) => {
    expect(leadOf(body).phones).toEqual(phones);
  });

  it('are truncated, to limit text from outside', () => {
    expect(leadOf({ Phone: '9'.repeat(10_000) }).phones).toEqual(['9'.repeat(80)]);
  });
});

describe('the owner of a lead', () => {
  it.each(['OwnerId', 'ownerid', 'Owner_Id', 'OWNER ID'])('is read from %s', (name) => {
    expect(leadOf({ [name]: 'owner-1' }).owner_id).toBe('owner-1');
  });

  it.each([
    ...[undefined, null, '', ' ', {}, []].map((OwnerId) => ({ OwnerId })),
    { OwnerIdName: 'Asha', CreatedBy: 'x', ModifiedBy: 'y' },
  ])('is undefined if the lead has no owner: %j', (body) => {
    expect(leadOf(body)).not.toHaveProperty('owner_id');
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
    const values = { FirstName: ' Asha ', Age: 7, Vip: false };
    const noValues = { None: null, Empty: '', Blank: ' ', List: ['x'], Nested: { a: 1 } };
    expect(leadOf({ ...values, ...noValues }).fields).toEqual({ FirstName: 'Asha', Age: '7', Vip: 'false' });
  });

  it('have line breaks in place of the marks that the vendor uses', () => {
    expect(leadOf({ Notes: 'a{mxnewline}b{mxnewline}{mxnewline}c{mxnewline}' }).fields).toEqual({ Notes: 'a\nb\n\nc' });
    expect(leadOf({ Notes: '{mxnewline}', ProspectID: '{mxnewline}' })).toEqual(emptyLead);
  });

  it('are at most 100, with values of 500 characters', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, 'x'.repeat(600)]));
    const { fields } = leadOf(many);
    expect(Object.values(fields)).toEqual(Array(100).fill('x'.repeat(500)));
  });

  it('have names of 80 characters that a template accepts', () => {
    const longest = 'n'.repeat(80);
    const names = [longest, `${longest}n`, 'a|b', '{{x}}', '<lead>', 'a\nb', ''];
    expect(leadOf(Object.fromEntries(names.map((name) => [name, 'v']))).fields).toEqual({ [longest]: 'v' });
  });

  it('are harmless with the names of built-in object members', () => {
    const raw = JSON.parse(
      '{"__proto__":{"ProspectID":"evil","polluted":"x"},"constructor":"c","toString":"t","hasOwnProperty":"h","ProspectID":"lead-1"}',
    );
    const lead = leadOf(raw);
    expect(lead).toMatchObject({ lead_id: 'lead-1', fields: { constructor: 'c' } });
    expect(Object.getPrototypeOf(lead.fields)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(leadOf(JSON.parse('{"__proto__":{"ProspectID":"evil"}}'))).not.toHaveProperty('lead_id');
    expect(leadOf(JSON.parse('{"__proto__":"x","After":{"__proto__":{"Phone":"1"}}}')).phones).toEqual([]);
  });
});

/** Arbitrary JSON, often in the form of a delivery. */
const knownNames =
  'ProspectID prospect_id LeadId Id Phone mx_Phone OwnerId DoNotCall After Before Current __proto__ constructor';
const names = fc.oneof(fc.constantFrom('Contact Number', ...knownNames.split(' ')), fc.string({ maxLength: 120 }));
const leaves = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, 1e21, '', '{mxnewline}', '__proto__', 'x'.repeat(700)),
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.double(),
);
const { body: anyBody } = fc.letrec<{ body: unknown }>((tie) => ({
  body: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaves,
    // JSON.parse creates own members, even one called `__proto__`.
    fc.array(fc.tuple(names, tie('body')), { maxLength: 8 }).map((members) => Object.fromEntries(members)),
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
    forAll([anyBody], { numRuns: 2000 }, (body) => {
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
    });
  });

  it('becomes text without U+FFFE and U+FFFF, which the queue refuses', () => {
    forAll([anyBody], (body) => {
      expect(JSON.stringify(readLeadPayloads(body) ?? [])).toMatch(/^[^\uFFFE\uFFFF]*$/);
    });
    const odd = { ProspectID: 'a\uFFFEb', Phone: '1\uFFFF2', OwnerId: '\uFFFEx', Notes: 'n\uFFFF', 'k\uFFFE': 'v' };
    const fields = { ProspectID: 'ab', Phone: '12', OwnerId: 'x', Notes: 'n' };
    expect(one(odd)).toEqual({
      event: 'new_lead',
      lead: { lead_id: 'ab', phones: ['12'], owner_id: 'x', do_not_call: false, fields },
      keys: ['ProspectID', 'Phone', 'OwnerId', 'Notes', 'k'],
    });
  });

  it('is never truncated within a character', () => {
    const long = (most: number) => `${'x'.repeat(most - 1)}😀`;
    const cut = (most: number) => `${'x'.repeat(most - 1)}\uFFFD`;
    const { lead, keys } = one({ OwnerId: long(200), Phone: long(80), Notes: long(500), [long(80)]: 'v' });
    expect(lead).toMatchObject({ owner_id: cut(200), phones: [cut(80)], fields: { Notes: cut(500) } });
    expect(keys.at(-1)).toBe(cut(80));
  });
});

describe('the keys of a delivery', () => {
  const keysOf = (...names: string[]) => one(Object.fromEntries(names.map((name) => [name, 'SECRET']))).keys;
  const keysInside = (...names: string[]) =>
    one({ After: Object.fromEntries(names.map((name) => [name, 'SECRET'])) }).keys;

  it.each<[object, string[]]>([
    [
      { Before: flat, After: { ProspectID: 'lead-1', OwnerId: null }, Other: 'x' },
      ['Before', 'After', 'Other', 'After.ProspectID', 'After.OwnerId'],
    ],
    [{ Current: { Id: '1', Phone: '2' } }, ['Current', 'Current.Id', 'Current.Phone']],
    // Use the documented spelling, even if this delivery spells its envelope differently.
    [{ A_fter: { Id: '1' } }, ['A_fter', 'After.Id']],
  ])('are the names of its members and of the lead in its envelope: %j', (body, keys) => {
    expect(one(body).keys).toEqual(keys);
  });

  it.each([...notAnObject, {}])('are only its own if the envelope is empty: %j', (inner) => {
    expect(one({ After: inner }).keys).toEqual(['After']);
    expect(one({ Current: inner }).keys).toEqual(['Current']);
  });

  it('include unusual names, so that an operator can see what was posted', () => {
    const odd = ['फ़ोन', 'Lead.Phone', 'a|b', '<lead>', 'e-mail?', '', ' ', "Customer's phone", 'a\nb', 'x[0]', 'Name:'];
    expect(keysOf(...odd)).toEqual(odd);
    // Most of these names cannot appear in a template.
    const { fields } = leadOf(Object.fromEntries(odd.map((name) => [name, 'x'])));
    expect(Object.keys(fields)).toEqual(['फ़ोन', 'Lead.Phone', ' ']);
  });

  it.each([
    '{"Phone":"SECRET"}',
    '{SECRET',
    'SECRET}',
    '"SECRET"',
    'asha.SECRET@example.com',
    '{{SECRET}}',
    `${'k'.repeat(100)}@SECRET`,
  ])('hide a value in place of a name: %j', (name) => {
    expect(keysOf('a', name, 'b')).toEqual(['a', '(no name)', 'b']);
    expect(keysInside(name)).toEqual(['After', '(no name)']);
  });

  it.each([
    ['987-654-3210', '***-***-****'],
    ['+1 (212) 555-0123', '+* (***) ***-****'],
    ['９８７６５', '*****'],
    ['phone_98765', 'phone_*****'],
    ['mx_Custom_1234', 'mx_Custom_1234'],
    ['field12', 'field12'],
  ])('have asterisks in place of five or more digits in any script: %s', (name, hidden) => {
    expect(keysInside(`k ${name}`)).toEqual(['After', `After.k ${hidden}`]);
  });

  it('are at most 200, of 80 characters each', () => {
    const many = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'SECRET']));
    expect(one(many('k', 300)).keys).toHaveLength(200);
    const { keys } = one({ ...many('k', 150), After: many('i', 150) });
    expect(keys).toHaveLength(200);
    expect(keys.slice(149, 152)).toEqual(['k149', 'After', 'After.i0']);
    expect(keysOf('k'.repeat(81))).toEqual(['k'.repeat(80)]);
    expect(keysInside('k'.repeat(81))).toEqual(['After', `After.${'k'.repeat(74)}`]);
  });

  it('are only names, whatever was posted', () => {
    const membersOf = (value: unknown): object =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
    // A simple name is logged unchanged; any other is only counted.
    const isSimple = (name: string) => /^[\w $.-]*$/.test(name) && !/\d{5}/.test(name);
    forAll([fc.array(anyBody, { minLength: 1, maxLength: 3 })], { numRuns: 1000 }, (entries) => {
      for (const [index, { event, keys }] of (readLeadPayloads(entries) ?? []).entries()) {
        const entry = membersOf(entries[index]);
        const envelope = event === 'owner_reassignment' ? 'After' : 'Current';
        const inner = Object.entries(entry)
          .filter(([name]) => name.toLowerCase().replace(/[\s_]/g, '') === envelope.toLowerCase())
          .flatMap(([, value]) => Object.keys(membersOf(value)).map((name) => `${envelope}.${name}`));
        const names = [...Object.keys(entry), ...inner];
        const known = new Set(names.map((name) => name.slice(0, 80)));
        for (const key of keys.filter(isSimple)) expect(known).toContain(key);
        for (const key of keys) expect(key).not.toMatch(/[{}"@]|\d{5}/);
        expect(keys.length).toBeLessThanOrEqual(Math.min(200, names.length));
        expect(keys.slice(0, Object.keys(entry).length)).toHaveLength(Math.min(200, Object.keys(entry).length));
      }
    });
  });
});
