import fc from 'fast-check';
import { outcomes } from '../../../../shared/domain/connections/activity.ts';
import {
  CRM_FLAG_REASON,
  decideLead,
  dialablePhone,
  endOfCall,
  type LeadFacts,
} from '../../../../shared/domain/leads/lead-decision.ts';
import { isE164 } from '../../../../shared/domain/text/phone-number.ts';
import { forAll } from '../../../support/values/for-all.ts';

const PHONE = '+919876543210';
const HOLD = 10_000; // 600 seconds at a rate of 1,000

const assistant = { org_id: 'org1', assistant_id: 'asst_1', name: 'Asha', max_duration_seconds: 600 };
const facts: LeadFacts = {
  lead: { lead_id: 'lead-1', phones: ['98765 43210'], owner_id: 'owner-1', do_not_call: false, fields: {} },
  connection: { type: 'crm-a', org_id: 'org1', auto_call: true, token_hash: 'hash', trigger_owner_user_id: 'owner-1' },
  org: { platform_numbers: ['+15550100000'], default_region: 'IN', available: HOLD, held: 0, rate: 1000 },
  assistant,
  onDoNotCallList: false,
  eventId: 'evt_1',
  claimedBy: { lead: [], phone: [] },
};

type Change = (facts: LeadFacts) => LeadFacts;
const of =
  <Part extends 'lead' | 'connection' | 'org' | 'claimedBy'>(part: Part, over: Partial<LeadFacts[Part]>): Change =>
  (facts) => ({ ...facts, [part]: { ...facts[part], ...over } });
const ofAll =
  (over: Partial<LeadFacts>): Change =>
  (facts) => ({ ...facts, ...over });

/** The rules in their order, each with the ways in which it is violated. */
const rules: Record<string, Record<string, Change>> = {
  auto_call_disabled: {
    disconnected: of('connection', { token_hash: undefined }),
    'auto-call off': of('connection', { auto_call: false }),
  },
  no_lead_id_in_payload: { 'no id': of('lead', { lead_id: undefined }) },
  lead_not_found: { 'not in the CRM': ofAll({ notFetched: { outcome: 'lead_not_found', reason: 'It is gone now.' } }) },
  crm_unavailable: { 'the CRM is down': ofAll({ notFetched: { outcome: 'crm_unavailable', reason: 'It was down.' } }) },
  owner_mismatch: {
    'another owner': of('lead', { owner_id: 'owner-2' }),
    'no owner': of('lead', { owner_id: undefined }),
    'no trigger owner': of('connection', { trigger_owner_user_id: undefined }),
    'neither owner': (facts) =>
      of('lead', { owner_id: undefined })(of('connection', { trigger_owner_user_id: undefined })(facts)),
  },
  no_dialable_phone: {
    'no phone': of('lead', { phones: [] }),
    garbage: of('lead', { phones: ['n/a', '12', '', '+0'] }),
  },
  own_platform_number: { 'own number': of('org', { platform_numbers: ['+15550100000', PHONE] }) },
  do_not_call: {
    "the CRM's flag": of('lead', { do_not_call: true }),
    'our list': ofAll({ onDoNotCallList: true }),
    both: (facts) => of('lead', { do_not_call: true })({ ...facts, onDoNotCallList: true }),
  },
  destination_not_allowed: {
    'another country': (facts) =>
      of('lead', { phones: [PHONE] })(of('org', { default_region: 'AE', countries: ['US'] })(facts)),
  },
  assistant_missing: {
    none: ofAll({ assistant: undefined }),
    'of another org': ofAll({ assistant: { ...assistant, org_id: 'org2' } }),
  },
  retried_recently: { 'retried this Sunday': ofAll({ wasRetriedRecently: true }) },
  already_called: { 'lead called': of('claimedBy', { lead: ['evt_0'] }) },
  phone_already_called: { 'phone called': of('claimedBy', { phone: ['evt_0'] }) },
  insufficient_credits: {
    'one unit short': of('org', { available: HOLD - 1 }),
    none: of('org', { available: 0 }),
    'one unit short, whatever open calls return': of('org', { available: 1, held: HOLD - 2 }),
  },
};
const outcomesInOrder = Object.keys(rules);

const opening = { from: new Date('2026-03-02T03:30:00.000Z'), to: new Date('2026-03-02T15:30:00.000Z') };
const anyOpening = fc.constantFrom(undefined, { ...opening, isOpen: true }, { ...opening, isOpen: false });

/** At most one violation of each rule. Each rule is often the first violated one, and often no rule is violated. */
const violations = fc
  .tuple(
    fc.nat(outcomesInOrder.length),
    fc.tuple(
      ...Object.values(rules).map((ways) => fc.option(fc.constantFrom(...Object.values(ways)), { nil: undefined })),
    ),
  )
  .map(([first, ways]) => ways.map((way, index) => (index < first ? undefined : way)));
/** Applies the first rules last, because two rules change the same fact. */
const factsWith = (ways: (Change | undefined)[], when?: LeadFacts['opening']) =>
  ways.reduceRight<LeadFacts>((changed, way) => way?.(changed) ?? changed, { ...facts, opening: when });

describe('the decision about a lead', () => {
  const call = { leadId: 'lead-1', phone: PHONE, assistant };

  it('is a call if no rule objects, with all data for the call', () => {
    expect(decideLead(facts)).toEqual({ kind: 'call', ...call, hold: HOLD });
    expect(decideLead(of('org', { rates: { IN: 1, AE: 7 } })(facts))).toMatchObject({
      kind: 'call',
      hold: HOLD / 1000,
    });
  });

  const everyWay = Object.entries(rules).flatMap(([outcome, ways]) =>
    Object.entries(ways).map(([way, change]) => [outcome, way, change] as const),
  );
  it.each(everyWay)('is %s for exactly this reason: %s', (outcome, _way, change) => {
    expect(decideLead(change(facts))).toMatchObject({ kind: 'refused', outcome });
  });

  it('is the first violated rule, or else a call now or at the next opening', () => {
    forAll([violations, anyOpening], { numRuns: 1000 }, (ways, when) => {
      const outcome = outcomesInOrder[ways.findIndex((way) => way !== undefined)];
      const decision = decideLead(factsWith(ways, when));
      // The credit is checked when the window opens, because it may change until then.
      if (when?.isOpen === false && (outcome === undefined || outcome === 'insufficient_credits'))
        expect(decision).toEqual({ kind: 'scheduled', ...call, opening: when });
      else if (outcome === undefined) expect(decision).toMatchObject({ kind: 'call', hold: HOLD, opening: when });
      else expect(decision).toMatchObject({ kind: 'refused', outcome });
    });
  });

  it.each<[string, Change]>([
    ['The connection is disconnected.', of('connection', { token_hash: undefined })],
    ['Auto-call is off for this connection.', of('connection', { auto_call: false })],
    ['The payload has no lead id. This entry lists its keys.', of('lead', { lead_id: undefined })],
    ['It is gone now.', ofAll({ notFetched: { outcome: 'lead_not_found', reason: 'It is gone now.' } })],
    [
      'The connection has no trigger owner yet, so no lead can match it.',
      of('connection', { trigger_owner_user_id: undefined }),
    ],
    ['The lead has no owner.', of('lead', { owner_id: undefined })],
    ['The lead belongs to another owner.', of('lead', { owner_id: 'owner-2' })],
    ['The lead belongs to another owner: R. Das.', of('lead', { owner_id: 'owner-2', owner_name: 'R. Das' })],
    ['The lead has no phone number.', of('lead', { phones: [] })],
    ['No phone number of the lead can be dialed.', of('lead', { phones: ['12'] })],
    ["The lead's phone is one of the organization's own numbers.", of('org', { platform_numbers: [PHONE] })],
    ["The CRM's do-not-call flag is set for this lead.", of('lead', { do_not_call: true })],
    ['The number is on the do-not-call list.', ofAll({ onDoNotCallList: true })],
    ['The connection has no assistant of its organization.', ofAll({ assistant: undefined })],
    ['The Sunday sweep called this lead less than 20 hours ago.', ofAll({ wasRetriedRecently: true })],
    ['This lead has already been called on that day or since.', of('claimedBy', { lead: ['evt_0'] })],
    ['This phone number has already been called on that day.', of('claimedBy', { phone: ['evt_0'] })],
  ])('explains why a lead is not called: %s', (reason, change) => {
    expect(decideLead(change(facts))).toMatchObject({ kind: 'refused', reason });
  });

  it('has the outcomes of Activity, in their order, except for lost races and later ends', () => {
    const later = ['spend_limit_reached', 'expired', 'platform_unreachable', 'refused_by_platform', 'lost'];
    const others: readonly string[] = ['call queued', 'call scheduled', 'ignored', 'already_called_race', ...later];
    expect(outcomesInOrder).toEqual(outcomes.filter((name) => !others.includes(name)));
  });

  it('gives reasons that contain no phone, id or owner', () => {
    forAll([violations], (ways) => {
      const decision = decideLead(factsWith(ways));
      if (decision.kind !== 'refused') return;
      expect(decision.reason).toMatch(/^[A-Z].{10,}\.$/);
      expect(decision.reason).not.toMatch(/98765|43210|lead-1|owner-[12]/);
    });
  });

  it('holds rate × started minutes of the longest call, and requires that open calls may leave enough credit', () => {
    const [anySeconds, anySpare] = [fc.integer({ min: 1, max: 7200 }), fc.integer({ min: -3, max: 3 })];
    forAll([fc.nat(10_000), anySeconds, anySpare, fc.nat(10_000)], (rate, seconds, spare, held) => {
      const hold = rate * Math.ceil(seconds / 60);
      const decision = decideLead({
        ...facts,
        org: { ...facts.org, rate, available: hold + spare - held, held },
        assistant: { ...assistant, max_duration_seconds: seconds },
      });
      if (spare < 0) expect(decision).toMatchObject({ kind: 'refused', outcome: 'insufficient_credits' });
      else expect(decision).toMatchObject({ kind: 'call', hold });
    });
  });

  it('recognizes its own claims first, whatever has changed: another delivery of the event was faster', () => {
    const otherClaims = fc.subarray(['evt_0', 'evt_2']);
    const ownClaims = fc.constantFrom(
      { lead: ['evt_1'], phone: [] },
      { lead: [], phone: ['evt_1'] },
      { lead: ['evt_1'], phone: ['evt_1'] },
    );
    forAll([violations, anyOpening, ownClaims, otherClaims], (ways, when, own, others) => {
      const claimedBy = { lead: [...others, ...own.lead], phone: [...others, ...own.phone] };
      expect(decideLead({ ...factsWith(ways, when), claimedBy })).toEqual({ kind: 'already_placed' });
    });
  });

  it('requires a grant for CRM-B and a token for CRM-A', () => {
    const grant = { id: 'g' } as NonNullable<LeadFacts['connection']['grant']>;
    const kindOf = (over: Partial<LeadFacts['connection']>) => decideLead(of('connection', over)(facts)).kind;
    expect(kindOf({ type: 'crm-b', grant, token_hash: undefined })).toBe('call');
    expect(kindOf({ type: 'crm-b', grant: undefined, token_hash: 'hash' })).toBe('refused');
    expect(kindOf({ type: 'crm-a', grant, token_hash: undefined })).toBe('refused');
  });

  it('states the cost and the available credit in credits', () => {
    expect(decideLead(of('org', { rate: 1250, available: 12_499 })(facts))).toEqual({
      kind: 'refused',
      outcome: 'insufficient_credits',
      reason: 'The call may cost 12.5 credits, and 12.499 are available.',
    });
  });

  it('never calls an invalid number or a number of the organization, in any spelling', () => {
    const spelled = fc.constantFrom('+91-9876543210', '09876543210', '98765 43210', '(0)98765-43210', '00919876543210');
    const text = fc.oneof(spelled, fc.string(), fc.stringMatching(/^[+0-9 ()-]{0,18}$/));
    const own = fc.subarray(['+919876543210', '+15550100000', '+919812345678']);
    const decide = (phones: string[], platform_numbers: string[]) =>
      decideLead(of('org', { platform_numbers })(of('lead', { phones })(facts)));
    forAll([fc.array(text, { maxLength: 4 }), own], { numRuns: 1000 }, (phones, numbers) => {
      const decision = decide(phones, numbers);
      if (decision.kind !== 'call') return;
      expect(isE164(decision.phone)).toBe(true);
      expect(numbers).not.toContain(decision.phone);
    });
    forAll([spelled], (phone) => {
      expect(decide([phone], [PHONE])).toMatchObject({ outcome: 'own_platform_number' });
    });
  });
});

describe('the phone of a lead', () => {
  it.each<[string, string[], string | undefined]>([
    ['IN', ['n/a', '12', '09812345678', '98765 43210'], '+919812345678'],
    ['IN', ['98765 43210', '09812345678'], PHONE],
    ['US', ['(212) 555-0123'], '+12125550123'],
    ['GB', ['020 7946 0958'], '+442079460958'],
    ['IN', [], undefined],
    ['IN', ['', 'n/a', '123', 'call me'], undefined],
  ])('in the region %s is the first of %j that can be dialed: %s', (region, phones, phone) => {
    expect(dialablePhone({ phones }, region)).toBe(phone);
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
    'n/a / 9876543210',
    'home, 9876543210',
    ' / 9876543210',
    '-,9876543210',
    '12345 / 9876543210',
    '/9876543210/',
  ])('yields the first readable number: %j', (text) => {
    expect(dialablePhone({ phones: [text] }, 'IN')).toBe(PHONE);
  });

  it('is read as one number with a slash before its parts are tried', () => {
    expect(dialablePhone({ phones: ['080/12345678'] }, 'IN')).toBe('+918012345678');
  });

  it('is used if it is the first field with a number', () => {
    expect(dialablePhone({ phones: ['none', '98123 45678, 9876543210', '9898989898'] }, 'IN')).toBe('+919812345678');
  });
});

describe('the end of the call of a refused lead', () => {
  const refusal = { kind: 'refused', outcome: 'owner_mismatch', reason: 'The lead has no owner.' } as const;

  it("has the refusal's reason, unless the CRM's do-not-call flag is set", () => {
    expect(endOfCall(refusal, { do_not_call: false })).toEqual(refusal);
    const flagged = { kind: 'refused', outcome: 'do_not_call', reason: CRM_FLAG_REASON };
    expect(endOfCall(refusal, { do_not_call: true })).toEqual(flagged);
  });
});
