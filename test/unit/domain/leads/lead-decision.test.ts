import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { outcomes } from '../../../../shared/domain/connections/activity.ts';
import { decideLead, dialablePhone, type LeadFacts } from '../../../../shared/domain/leads/lead-decision.ts';
import { isE164 } from '../../../../shared/domain/text/phone-number.ts';
import { forAll } from '../../../support/for-all.ts';

const PHONE = '+919876543210';
const HOLD = 10_000; // 600 seconds at a rate of 1,000

const facts: LeadFacts = {
  lead: { lead_id: 'lead-1', phones: ['98765 43210'], owner_id: 'owner-1', do_not_call: false, fields: {} },
  connection: { type: 'crm-a', org_id: 'org1', auto_call: true, token_hash: 'hash', trigger_owner_user_id: 'owner-1' },
  org: { platform_numbers: ['+15550100000'], default_region: 'IN', available: HOLD, rate: 1000 },
  assistant: { org_id: 'org1', assistant_id: 'asst_1', name: 'Asha', max_duration_seconds: 600 },
  onDoNotCallList: false,
  eventId: 'evt_1',
  claimedBy: { lead: [], phone: [] },
};

type Change = (facts: LeadFacts) => LeadFacts;
const ofLead =
  (over: Partial<LeadFacts['lead']>): Change =>
  (facts) => ({ ...facts, lead: { ...facts.lead, ...over } });
const ofConnection =
  (over: Partial<LeadFacts['connection']>): Change =>
  (facts) => ({ ...facts, connection: { ...facts.connection, ...over } });
const ofOrg =
  (over: Partial<LeadFacts['org']>): Change =>
  (facts) => ({ ...facts, org: { ...facts.org, ...over } });

/** The rules in their order, each with the ways in which it is violated. */
const rules: [outcome: string, ways: Record<string, Change>][] = [
  [
    'auto_call_disabled',
    { disconnected: ofConnection({ token_hash: undefined }), 'auto-call off': ofConnection({ auto_call: false }) },
  ],
  ['no_lead_id_in_payload', { 'no id': ofLead({ lead_id: undefined }) }],
  [
    'lead_not_found',
    {
      'not in the CRM': (facts) => ({ ...facts, notFetched: { outcome: 'lead_not_found', reason: 'It is gone now.' } }),
    },
  ],
  [
    'crm_unavailable',
    {
      'the CRM is down': (facts) => ({
        ...facts,
        notFetched: facts.notFetched ?? { outcome: 'crm_unavailable', reason: 'It was down.' },
      }),
    },
  ],
  [
    'owner_mismatch',
    {
      'another owner': ofLead({ owner_id: 'owner-2' }),
      'no owner': ofLead({ owner_id: undefined }),
      'no trigger owner': ofConnection({ trigger_owner_user_id: undefined }),
      'neither owner': (facts) =>
        ofLead({ owner_id: undefined })(ofConnection({ trigger_owner_user_id: undefined })(facts)),
    },
  ],
  ['no_dialable_phone', { 'no phone': ofLead({ phones: [] }), garbage: ofLead({ phones: ['n/a', '12', '', '+0'] }) }],
  ['own_platform_number', { 'own number': ofOrg({ platform_numbers: ['+15550100000', PHONE] }) }],
  [
    'do_not_call',
    {
      "the CRM's flag": ofLead({ do_not_call: true }),
      'our list': (facts) => ({ ...facts, onDoNotCallList: true }),
      both: (facts) => ofLead({ do_not_call: true })({ ...facts, onDoNotCallList: true }),
    },
  ],
  [
    'assistant_missing',
    {
      none: (facts) => ({ ...facts, assistant: undefined }),
      'of another org': (facts) => ({
        ...facts,
        assistant: facts.assistant && { ...facts.assistant, org_id: 'org2' },
      }),
    },
  ],
  ['retried_recently', { 'retried this Sunday': (facts) => ({ ...facts, wasRetriedRecently: true }) }],
  ['already_called', { 'lead called': (facts) => ({ ...facts, claimedBy: { ...facts.claimedBy, lead: ['evt_0'] } }) }],
  [
    'phone_already_called',
    { 'phone called': (facts) => ({ ...facts, claimedBy: { ...facts.claimedBy, phone: ['evt_0'] } }) },
  ],
  ['insufficient_credits', { 'one unit short': ofOrg({ available: HOLD - 1 }), none: ofOrg({ available: 0 }) }],
];

const opening = { from: new Date('2026-03-02T03:30:00.000Z'), to: new Date('2026-03-02T15:30:00.000Z') };
const openings = {
  'always open': undefined,
  open: { ...opening, isOpen: true },
  closed: { ...opening, isOpen: false },
} satisfies Record<string, LeadFacts['opening']>;
const anyOpening = fc.constantFrom(...(Object.keys(openings) as (keyof typeof openings)[]));

/** For each rule, at most one way in which it is violated. */
const violations = fc.tuple(
  ...rules.map(([, ways]) => fc.option(fc.constantFrom(...Object.keys(ways)), { nil: undefined })),
);

describe('the decision about a lead', () => {
  it('is a call if no rule objects, with everything that the call needs', () => {
    expect(decideLead(facts)).toEqual({
      kind: 'call',
      leadId: 'lead-1',
      phone: PHONE,
      assistant: facts.assistant,
      hold: HOLD,
    });
  });

  const everyWay = rules.flatMap(([outcome, ways]) => Object.keys(ways).map((way) => [outcome, way] as const));

  it.each(everyWay)('is %s for this reason alone: %s', (outcome, way) => {
    const change = rules.find(([name]) => name === outcome)?.[1][way] as Change;
    expect(decideLead(change(facts))).toMatchObject({ kind: 'refused', outcome });
  });

  it('is the first violated rule; without a violation, a call now or at the next opening', () => {
    forAll([violations, anyOpening], { numRuns: 3000 }, (ways, when) => {
      const given = ways.reduce<LeadFacts>((so, way, index) => (way ? (rules[index]?.[1][way]?.(so) ?? so) : so), {
        ...facts,
        opening: openings[when],
      });
      const earliest = ways.findIndex((way) => way !== undefined);
      const outcome = rules[earliest]?.[0];
      const decision = decideLead(given);
      // The credit is checked when the window opens, because it may change until then.
      if (when === 'closed' && (outcome === undefined || outcome === 'insufficient_credits'))
        expect(decision).toEqual({
          kind: 'scheduled',
          leadId: 'lead-1',
          phone: PHONE,
          assistant: facts.assistant,
          opening: openings.closed,
        });
      else if (outcome === undefined)
        expect(decision).toMatchObject({ kind: 'call', hold: HOLD, opening: openings[when] });
      else expect(decision).toMatchObject({ kind: 'refused', outcome });
    });
  });

  it('has the outcomes of Activity, in their order, except for lost races', () => {
    const decided = rules.map(([outcome]) => outcome);
    const others: readonly string[] = ['call queued', 'call scheduled', 'already_called_race', 'ignored'];
    expect(decided).toEqual(outcomes.filter((name) => !others.includes(name)));
  });

  it('gives reasons that contain no phone, id or owner', () => {
    forAll([violations], (ways) => {
      const given = ways.reduce<LeadFacts>(
        (so, way, index) => (way ? (rules[index]?.[1][way]?.(so) ?? so) : so),
        facts,
      );
      const decision = decideLead(given);
      if (decision.kind !== 'refused') return;
      expect(decision.reason).toMatch(/^[A-Z].{10,}\.$/);
      expect(decision.reason).not.toMatch(/98765|43210|lead-1|owner-[12]/);
    });
  });

  it('holds rate x started minutes of the longest call and requires exactly that much credit', () => {
    const cases = fc.record({
      rate: fc.integer({ min: 0, max: 10_000 }),
      seconds: fc.integer({ min: 1, max: 7200 }),
      spare: fc.integer({ min: -3, max: 3 }),
    });
    forAll([cases], ({ rate, seconds, spare }) => {
      let minutes = 0;
      while (minutes * 60 < seconds) minutes += 1;
      const hold = rate * minutes;
      const decision = decideLead({
        ...facts,
        org: { ...facts.org, rate, available: hold + spare },
        assistant: { ...(facts.assistant as NonNullable<LeadFacts['assistant']>), max_duration_seconds: seconds },
      });
      if (spare < 0) expect(decision).toMatchObject({ kind: 'refused', outcome: 'insufficient_credits' });
      else expect(decision).toMatchObject({ kind: 'call', hold });
    });
  });

  it('recognizes its own claims first: another delivery of the event was faster', () => {
    const own = [
      { lead: ['evt_1'], phone: [] },
      { lead: [], phone: ['evt_1'] },
      { lead: ['evt_0', 'evt_1'], phone: ['evt_1'] },
    ];
    for (const claimedBy of own)
      for (const now of [
        facts,
        ofOrg({ available: 0 })(facts),
        { ...facts, onDoNotCallList: true, assistant: undefined },
      ])
        expect(decideLead({ ...now, claimedBy })).toEqual({ kind: 'already_placed' });
  });

  it('recognizes its own claims even if the CRM is unavailable, the sweep has called or the window is closed', () => {
    forAll([violations, anyOpening], (ways, when) => {
      const given = ways.reduce<LeadFacts>((so, way, index) => (way ? (rules[index]?.[1][way]?.(so) ?? so) : so), {
        ...facts,
        opening: openings[when],
      });
      const claimedBy = { lead: [...given.claimedBy.lead, 'evt_1'], phone: given.claimedBy.phone };
      expect(decideLead({ ...given, claimedBy })).toEqual({ kind: 'already_placed' });
    });
  });

  it('requires a grant for CRM-B and a token for CRM-A', () => {
    const grant = { id: 'g' } as NonNullable<LeadFacts['connection']['grant']>;
    const of = (over: Partial<LeadFacts['connection']>) => decideLead(ofConnection(over)(facts)).kind;
    expect(of({ type: 'crm-b', grant, token_hash: undefined })).toBe('call');
    expect(of({ type: 'crm-b', grant: undefined, token_hash: 'hash' })).toBe('refused');
    expect(of({ type: 'crm-a', grant, token_hash: undefined })).toBe('refused');
  });

  it('states the cost and the available credit in credits', () => {
    expect(decideLead(ofOrg({ rate: 1250, available: 12_499 })(facts))).toEqual({
      kind: 'refused',
      outcome: 'insufficient_credits',
      reason: 'The call may cost 12.5 credits, and 12.499 are available.',
    });
  });

  it('never calls a number that is not E.164 or is one of the organization, however it is spelled', () => {
    const spelled = fc.constantFrom('+91-9876543210', '09876543210', '98765 43210', '(0)98765-43210', '00919876543210');
    const text = fc.oneof(spelled, fc.string(), fc.stringMatching(/^[+0-9 ()-]{0,18}$/));
    const own = fc.subarray(['+919876543210', '+15550100000', '+919812345678']);
    forAll([fc.array(text, { maxLength: 4 }), own], { numRuns: 1000 }, (phones, platform_numbers) => {
      const decision = decideLead(ofOrg({ platform_numbers })(ofLead({ phones })(facts)));
      if (decision.kind !== 'call') return;
      expect(isE164(decision.phone)).toBe(true);
      expect(platform_numbers).not.toContain(decision.phone);
    });
    forAll([spelled], (phone) => {
      expect(decideLead(ofOrg({ platform_numbers: [PHONE] })(ofLead({ phones: [phone] })(facts)))).toMatchObject({
        outcome: 'own_platform_number',
      });
    });
  });
});

describe('the phone of a lead', () => {
  it('is the first that can be dialed', () => {
    expect(dialablePhone({ phones: ['n/a', '12', '09812345678', '98765 43210'] }, 'IN')).toBe('+919812345678');
    expect(dialablePhone({ phones: ['98765 43210', '09812345678'] }, 'IN')).toBe(PHONE);
  });

  it('is read with the region of the organization', () => {
    expect(dialablePhone({ phones: ['(212) 555-0123'] }, 'US')).toBe('+12125550123');
    expect(dialablePhone({ phones: ['020 7946 0958'] }, 'GB')).toBe('+442079460958');
  });

  it('is undefined if no phone can be dialed', () => {
    for (const phones of [[], [''], ['n/a', '123', 'call me']]) expect(dialablePhone({ phones }, 'IN')).toBeUndefined();
  });
});

describe('a phone field with more than one number', () => {
  it.each([
    '9876543210 / 9812345678',
    '9876543210/9812345678',
    '9876543210, 9812345678',
    '9876543210; 9812345678',
    '9876543210|9812345678',
    '+91-98765 43210 / +91-98123 45678',
    '(+91) 98765 43210 / 98123 45678',
    '09876543210/09812345678/09898989898',
  ])('yields the first of two numbers: %j', (text) => {
    expect(dialablePhone({ phones: [text] }, 'IN')).toBe('+919876543210');
  });

  it.each([
    'n/a / 9876543210',
    'home, 9876543210',
    ' / 9876543210',
    '-,9876543210',
    '12345 / 9876543210',
    '/9876543210/',
  ])('yields the first readable number: %j', (text) => {
    expect(dialablePhone({ phones: [text] }, 'IN')).toBe('+919876543210');
  });

  it('is read as one number with a slash before its parts are tried', () => {
    expect(dialablePhone({ phones: ['080/12345678'] }, 'IN')).toBe('+918012345678');
  });

  it('belongs to the first field with a number', () => {
    expect(dialablePhone({ phones: ['none', '98123 45678, 9876543210', '9898989898'] }, 'IN')).toBe('+919812345678');
    expect(dialablePhone({ phones: ['', 'x'] }, 'IN')).toBeUndefined();
  });
});
