import { signCall } from '../../../shared/domain/calls/platform/call-signature.ts';
import type { EndReport } from '../../../shared/domain/calls/platform/platform-message.ts';
import { hashWebhookToken } from '../../../shared/domain/connections/deliveries/webhook-token.ts';
import { type MetricName, metricNames } from '../../../shared/domain/metric.ts';
import { holdEntry, settlementEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { secondsAfter } from '../../../shared/domain/time/instants.ts';
import type { Mailer, MailOutcome } from '../../../shared/integrations/mail/ses.ts';
import type { PoolRefusal } from '../../../shared/integrations/user-pool/outcome.ts';
import type { DialOutcome } from '../../../shared/integrations/voice/voice-platform.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import type { VoiceEvent } from '../../../shared/messages/voice-event.ts';
import { dialOnce } from '../../../shared/operations/calls/dialing/dial-once.ts';
import { receiveVoiceMessage } from '../../../shared/operations/calls/receive-voice-message.ts';
import { accessTokenProvider } from '../../../shared/operations/connections/access/access-token-provider.ts';
import { checkDeliveries } from '../../../shared/operations/connections/check-deliveries.ts';
import { receiveCrmALead } from '../../../shared/operations/leads/receive-crm-a-lead.ts';
import { sendNotices } from '../../../shared/operations/notices/send-notices.ts';
import { countAttempt } from '../../../shared/operations/organizations/sessions/attempts.ts';
import { changePassword, resetPassword } from '../../../shared/operations/organizations/sessions/passwords.ts';
import { refreshSession } from '../../../shared/operations/organizations/sessions/refresh-session.ts';
import { signIn } from '../../../shared/operations/organizations/sessions/sign-in.ts';
import type { CallFiles } from '../../../shared/stores/calls/files/call-files.ts';
import { aCall, aCalledLead, aClaimedCall } from '../support/call.ts';
import { beginStage } from '../support/dial-stage.ts';
import { anEndedCall } from '../support/ended-call.ts';
import { anArmedConnection, check } from '../support/watched-connection.ts';
import { aReport, CALL, callWorld } from '../support/worlds/call-world.ts';
import { aConnection, aGrant, anAssistant, anOrg, ist, MONDAY, ORG } from '../support/worlds/items.ts';
import { atItsOpening, leadWorld, unavailable } from '../support/worlds/lead-world.ts';
import { aWorld, START } from '../support/worlds/world.ts';

type Counting = { counted: string[] };
/** A case that raises an alarm, the closest case that must not, and a function that runs each. */
type Alarm<World extends Counting> = [
  metric: MetricName,
  rings: string,
  isSilent: string,
  run: (rings: boolean) => Promise<World>,
];

/** Dials nine calls in sequence. @param outcomeOf of the dial with this number, from 0 on */
const dialed = async (outcomeOf: (dial: number) => DialOutcome, seconds = 1) => {
  const world = await beginStage(9);
  const { dial } = world.deps.voice;
  world.deps.voice.dial = (request) => {
    world.dialing = outcomeOf(world.dialed.length);
    return dial(request);
  };
  await world.run(seconds);
  return world;
};
const accepted: DialOutcome = { kind: 'accepted', platformId: 'p' };
const unreachable: DialOutcome = { kind: 'not_dialed', reason: 'ECONNREFUSED', isOperatorFault: false };
const accountRefused: DialOutcome = { ...unreachable, limit: 'account' };
/** Runs send-notices for an organization with low credit, every 15 minutes for some seconds. */
const told = async (send: Mailer['send'], seconds = 0, org: object = {}) => {
  const world = aWorld({
    organizations: [{ ...anOrg({ available: 42_000, warn_below: 100_000 }), ...org, watched: 'by-notices' }],
    members: [{ user_id: 'u1', org_id: ORG, email: EMAIL, name: 'Asha', role: 'owner', created_at: START }],
  });
  const deps = { ...world.common, mailer: { send }, dashboardUrl: 'https://app.example', timeLeftMs: () => 600_000 };
  for (let passed = 0; passed <= seconds; passed += 900) {
    await sendNotices(deps);
    world.pass(900);
  }
  return world;
};
const sent = async (): Promise<MailOutcome> => ({ kind: 'sent' });
const mailRefused = (isForAll: boolean) => async (): Promise<MailOutcome> => ({
  kind: 'refused',
  reason: 'x',
  isForAll,
});
const known = aClaimedCall({ platform_id: 'p1', status: 'in_progress' });
const reported = async (call = aClaimedCall(), report: Partial<EndReport> = {}) => {
  const world = callWorld([call]);
  await world.apply(aReport(report));
  return world;
};
/** Recovers a dialed call after some minutes. */
const recovered = async (call: typeof known, change: object) => {
  const world = Object.assign(callWorld([call]), change);
  world.pass(300);
  await world.recover();
  return world;
};
/** Finishes an ended call without an answer of the model. @param minutes since its end */
const notAnalyzed = async (minutes: number, isOperatorFault = false) => {
  const world = anEndedCall({ recording: { state: 'none' } });
  world.answer({ kind: 'unavailable', reason: 'x', isOperatorFault });
  world.pass(minutes * 60);
  await world.finish();
  return world;
};
/** Ends a call of an organization that used this many units in this hour, and 240,000 on each of the 7 days before. */
const spentInAnHour = async (units: number) => {
  const world = callWorld([aClaimedCall({ platform_id: 'p1', status: 'in_progress' })], { org: { max_live_calls: 0 } });
  const days = ['02-23', '02-24', '02-25', '02-26', '02-27', '02-28', '03-01'].map((day) => `2026-${day}`);
  for (const day of days) world.put('usage', { org_id: ORG, day: `${day}#1`, completed: 9, units: 240_000 });
  world.put('usage', { org_id: ORG, day: `${MONDAY}#1`, completed: 9, units: 500_000 });
  const of = (call_id: string) => ({ org_id: ORG, call_id });
  const charged = (call_id: string, cost: number, at: string) => settlementEntry(of(call_id), { held: 0, cost }, at);
  world.put('credit-ledger', charged('call_a', units - 40_000, '2026-03-02T05:30:00.000Z'));
  world.put('credit-ledger', charged('call_b', 40_000, '2026-03-02T05:59:00.000Z'));
  // Neither amount is spent within the hour.
  world.put('credit-ledger', charged('call_c', 200_000, '2026-03-02T04:59:59.000Z'));
  world.put('credit-ledger', holdEntry(of('call_d'), 500_000, '2026-03-02T05:59:30.000Z'));
  await world.recover();
  return world;
};
/** Delivers an unreadable lead of CRM-A. */
const delivered = async (token: string, hasRejected = false) => {
  const rejection = { at: '2026-03-02T05:59:59.000Z', reason: 'unauthorized' };
  const connections = [
    aConnection({ type: 'crm-a', token_hash: hashWebhookToken('t'), ...(hasRejected && { rejection }) }),
  ];
  const world = aWorld({ connections });
  const deps = { ...world.common, leadQueue: world.queue<LeadEvent>() };
  await receiveCrmALead(deps, { connectionId: 'conn_1', token, testToken: undefined, read: () => undefined });
  return world;
};
/** Authenticates at the user pool, after some attempts in the same minute. */
const proved = async (
  prove: (deps: ReturnType<typeof aWorld>['common'] & { pool: ReturnType<typeof aPool> }) => Promise<unknown>,
  answer: PoolRefusal['kind'] | 'tokens' | 'done',
  attempts = 0,
) => {
  const world = aWorld();
  for (let attempt = 0; attempt < attempts; attempt += 1) await countAttempt(world.common, EMAIL);
  await prove({ ...world.common, pool: aPool(answer) });
  return world;
};
const EMAIL = 'asha@example.com';
const PASSWORD = 'correct horse battery';
const aPool = (kind: PoolRefusal['kind'] | 'tokens' | 'done') => {
  const answer = async () => ({ kind, accessToken: 'a', expiresIn: 1 }) as never;
  return { signIn: answer, setFirstPassword: answer, refresh: answer, reset: answer, change: answer };
};
const reset = { email: EMAIL, code: '123456', new_password: PASSWORD };
const document = { id: 'k', filename: 'prices.pdf', path: 'knowledge/k.txt', textPreview: '', uploadedAt: '' };

const alarms: Alarm<Counting>[] = [
  [
    'DoubleDial',
    'the platform reports another id than the call has',
    'it reports the id of the call',
    (rings) => reported(aClaimedCall({ platform_id: rings ? 'p2' : 'p1' })),
  ],
  [
    'DialOperatorFault',
    'a report proves that no phone rang because of the account',
    'a report proves that no phone rang for another reason',
    (is_account_fault) => reported(aClaimedCall(), { outcome: 'not_dialed', is_account_fault }),
  ],
  [
    'DialOperatorFault',
    'the platform refuses the lookup of a dial because of the account',
    'the platform cannot answer the lookup',
    (isOperatorFault) => recovered(aClaimedCall(), { lookup: { kind: 'unknown', reason: 'x', isOperatorFault } }),
  ],
  [
    'DialOperatorFault',
    'the platform refuses to return its record because of the account',
    'the platform cannot return its record',
    (isOperatorFault) => recovered(known, { record: { kind: 'unknown', reason: 'x', isOperatorFault } }),
  ],
  [
    'UnitsBeyondHold',
    'a call costs more than its hold',
    'a call costs exactly its hold',
    (rings) => reported(aClaimedCall({ held: rings ? 1_999 : 2_000 })),
  ],
  [
    'CallLost',
    'a call is ended at its deadline',
    'the report ends it while it is looked up',
    async (rings) => {
      const world = callWorld([known]);
      world.pass(known.max_duration_seconds + 3_600 + 1);
      world.deps.voice.read = async () => {
        if (!rings) await world.apply(aReport());
        return { kind: 'not_found' };
      };
      await world.recover();
      return world;
    },
  ],
  [
    'DialOperatorFault',
    'the platform offers no way to end a call that must not be live',
    'the call is over',
    async (rings) => {
      const world = Object.assign(callWorld([known]), {
        hangingUp: { kind: rings ? ('no_way' as const) : ('not_live' as const) },
      });
      await world.doWork({ call_id: CALL, hang_up: { platform_id: 'p2', tries: 0 } });
      return world;
    },
  ],
  [
    'DialOperatorFault',
    'the platform does not answer a hang-up request for a quarter of an hour',
    'it answers a repeated request',
    async (rings) => {
      const world = callWorld([known]);
      world.deps.voice.hangUp = () => Promise.reject(new Error('voice platform: status 503'));
      await world.doWork({ call_id: CALL, hang_up: { platform_id: 'p2', tries: rings ? 6 : 5 } });
      return world;
    },
  ],
  [
    'CallNotRecovered',
    'a call cannot be recovered because of an error',
    'the platform does not know the call',
    async (rings) => {
      const world = callWorld([known]);
      world.pass(300);
      if (rings) world.deps.voice.read = () => Promise.reject(new Error('reset'));
      await world.recover();
      return world;
    },
  ],
  [
    'KnowledgeMissing',
    "a text of the assistant's knowledge base is missing",
    'all texts are read',
    async (rings) => {
      const world = callWorld(undefined, { assistants: [anAssistant({ knowledge_base: [document] })] });
      const knowledge = { read: async () => (rings ? [] : [{ filename: 'prices.pdf', text: 'x' }]) };
      expect(await dialOnce({ ...world.deps, knowledge }, CALL)).toBe('accepted');
      return world;
    },
  ],
  [
    'SpendLimitReached',
    'a call may cost more than the rest of the daily limit',
    'it may cost exactly the rest of the limit',
    async (rings) => {
      const world = callWorld(undefined, { org: { daily_limit: rings ? 9_999 : 10_000 } });
      await world.dialCall();
      return world;
    },
  ],
  [
    'ChannelDown',
    'a lost watch channel cannot be armed again',
    'a lost watch channel is armed again',
    async (rings) => {
      const world = await anArmedConnection();
      world.loseChannels();
      if (rings) world.answers.set('arm', { kind: 'refused', reason: 'LIMIT_REACHED' });
      await check(world);
      return world;
    },
  ],
  [
    'ChannelDown',
    'a connection never had a channel',
    'a channel cannot be checked, because the CRM does not answer',
    async (rings) => {
      const world = await anArmedConnection();
      if (rings) world.change({}, 'channel');
      for (const request of ['arm', 'list']) world.answers.set(request, { kind: 'unavailable', reason: 'x' });
      await check(world);
      return world;
    },
  ],
  [
    'PlatformGateClosed',
    'three of five dials fail',
    'two of five dials fail',
    (rings) => dialed((dial) => ([0, 2, rings ? 4 : 0].includes(dial) ? unreachable : accepted)),
  ],
  [
    'PlatformGateClosed',
    'the platform refuses the account for more than a minute',
    'it accepts calls again before that',
    async (rings) => {
      const world = await dialed(() => accountRefused, 40);
      if (!rings) world.deps.voice.dial = async () => accepted;
      await world.run(60);
      return world;
    },
  ],
  [
    'SlotsCorrected',
    'two runs find that a counter is wrong',
    'one run finds it, and the next one does not',
    async (rings) => {
      const world = callWorld([aClaimedCall({ platform_id: 'p1', progress_at: secondsAfter(START, 10_000) })]);
      world.put('slots', { scope: 'stage', live: 2 });
      await world.recover();
      if (!rings) world.put('slots', { ...world.find('slots', { scope: 'stage' }), live: 1 });
      await world.recover();
      return world;
    },
  ],
  [
    'ChannelCheckLate',
    'a run has no time left for a connection',
    'it has just enough time',
    async (rings) => {
      const world = await anArmedConnection();
      world.deps.timeLeftMs = () => (rings ? 119_999 : 120_000);
      await check(world);
      return world;
    },
  ],
  [
    'ConnectionSilent',
    'a connection of CRM-A got no lead for more than ten weekdays',
    'it got no lead for exactly ten',
    async (rings) => {
      const of = { type: 'crm-a', token_hash: 'hash', last_delivery_at: START } as const;
      const world = aWorld({ connections: [aConnection(of)] });
      world.pass(14 * 86_400 + (rings ? 1 : 0));
      await checkDeliveries({ ...world.common, timeLeftMs: () => 60_000 });
      return world;
    },
  ],
  [
    'LeadGivenUp',
    'the call of a lead expires',
    'the call of a client expires',
    async (rings) => {
      const lead = rings ? { lead: aCalledLead(), held: 0 } : {};
      const world = callWorld([aCall({ dial_by: secondsAfter(START, 60), ...lead })], { org: { max_live_calls: 0 } });
      world.pass(61);
      await world.recover();
      return world;
    },
  ],
  [
    'LeadGivenUp',
    'leads changed more than two days before their catch-up',
    'they changed exactly two days before',
    async (rings) => {
      const world = await anArmedConnection();
      world.change({ catch_up_from: secondsAfter(world.now, -2 * 86_400 - (rings ? 1 : 0)) });
      await check(world);
      return world;
    },
  ],
  [
    'LeadGivenUp',
    'more leads changed in one second than a catch-up queues in a run',
    'its last lead changed a second later, where the next run continues',
    async (rings) => {
      const world = await anArmedConnection();
      const from = secondsAfter(world.now, -60);
      world.change({ catch_up_from: from });
      const last = secondsAfter(from, rings ? 0 : 1);
      const leads = [from, last].map((at, index) => ({ id: `${index}`, created_at: at, modified_at: at }));
      const changed = { kind: 'found' as const, leads, complete: false };
      world.deps.leadsChanged = async (_access, _span, most) => (most === 1 ? { ...changed, leads: [] } : changed);
      await check(world);
      expect(world.logged.map(({ reason }) => reason).join()).toMatch(rings ? /changed in one second/ : /^,?$/);
      expect(world.row().catch_up_from).toBe(secondsAfter(from, 1));
      return world;
    },
  ],
  [
    'LeadGivenUp',
    'the CRM does not return a lead of a catch-up',
    'it does not return the lead of a notification, which the catch-up finds',
    async (rings) => {
      const world = leadWorld();
      world.crm = () => ({ ...unavailable('status 500'), isFinal: true });
      await world.process(world.event(rings ? { source: 'catch-up' } : {}));
      return world;
    },
  ],
  [
    'LeadGivenUp',
    'a call is postponed for the eighth day, because its CRM does not answer',
    'it is postponed for the seventh',
    async (rings) => {
      const { world } = await atItsOpening();
      world.crm = () => ({ ...unavailable('status 401'), isFinal: true });
      for (let day = 3; day <= (rings ? 10 : 9); day += 1) {
        world.now = ist(`2026-03-${String(day).padStart(2, '0')}`, '09:00');
        await world.release(world.releaseMessage());
      }
      return world;
    },
  ],
  [
    'GrantGone',
    'the accounts server says that a grant is no longer valid',
    'it says that the client is not valid',
    async (rings) => {
      const connection = aConnection({ grant: aGrant() });
      const world = aWorld({ connections: [connection] });
      const refused = { kind: 'refused', error: rings ? 'invalid_code' : 'invalid_client' } as const;
      const deps = {
        ...world.common,
        accounts: { refresh: async () => refused },
        clientOf: async () => ({ client_id: 'c', client_secret: 's' }),
      };
      await accessTokenProvider(deps)(connection).token();
      return world;
    },
  ],
  [
    'NoticeNotSent',
    'SES refuses every e-mail',
    'SES refuses one address, which is tried again',
    (rings) => told(mailRefused(rings)),
  ],
  [
    'NoticeNotSent',
    'SES has refused the only address for hours',
    'it may accept it later',
    (rings) => told(mailRefused(false), (rings ? 6 : 5) * 3_600),
  ],
  [
    'NoticeNotSent',
    'an organization cannot be read',
    'all organizations can be read',
    (rings) => told(sent, 0, rings ? { rate: 'unreadable' } : {}),
  ],
  [
    'UnusualSpend',
    'an organization uses more credit in an hour than on an average day of its last 7',
    'it uses exactly as much as on that day',
    (rings) => spentInAnHour(rings ? 240_001 : 240_000),
  ],
  ['ModelOperatorFault', 'the model refuses the account', 'the model is down', (rings) => notAnalyzed(1, rings)],
  [
    'ModelOperatorFault',
    'the model still refuses the account after the call is finished',
    'the model is still down',
    async (rings) => {
      const world = await notAnalyzed(60);
      world.counted.splice(0);
      world.answer({ kind: 'unavailable', reason: 'x', isOperatorFault: rings });
      world.pass(3_600);
      expect(await world.finish()).toBe('analysis_pending');
      return world;
    },
  ],
  [
    'AnalysisFailed',
    'the model did not answer for an hour',
    'the model may answer later',
    (rings) => notAnalyzed(rings ? 60 : 59),
  ],
  [
    'NotAuthenticated',
    'a delivery of a CRM has a wrong token',
    'it has the right token and a body that cannot be read',
    (rings) => delivered(rings ? 'guess' : 't'),
  ],
  [
    'NotAuthenticated',
    'a delivery has a wrong token within the minute of another one',
    'it has the right token',
    (rings) => delivered(rings ? 'guess' : 't', true),
  ],
  [
    'NotAuthenticated',
    'a message of the voice platform is not signed by us',
    'it is signed by us, and contains no useful data',
    async (rings) => {
      const world = aWorld();
      const deps = { ...world.common, files: {} as CallFiles, voiceEvents: world.queue<VoiceEvent>() };
      const ways = { read: () => ({ callId: CALL, message: undefined }), keys: async () => ['key'] };
      await receiveVoiceMessage({ ...deps, ...ways }, {}, rings ? 'guess' : signCall('key', CALL));
      return world;
    },
  ],
  [
    'NotAuthenticated',
    'a password is wrong at the sign-in',
    'the password is right',
    (rings) => proved((deps) => signIn(deps, { email: EMAIL, password: PASSWORD }), rings ? 'refused' : 'tokens'),
  ],
  [
    'NotAuthenticated',
    'the address of a sign-in is malformed',
    'the user pool is too busy for a sign-in',
    (rings) => proved((deps) => signIn(deps, { email: rings ? 'x' : EMAIL, password: PASSWORD }), 'throttled'),
  ],
  [
    'NotAuthenticated',
    'an eleventh attempt in a minute is refused without a check',
    'the tenth attempt is right',
    (rings) => proved((deps) => signIn(deps, { email: EMAIL, password: PASSWORD }), 'tokens', rings ? 10 : 9),
  ],
  [
    'NotAuthenticated',
    'the user pool refuses the token of a session',
    'the user pool is too busy to renew a session',
    (rings) => proved((deps) => refreshSession(deps, 'x.y.z'), rings ? 'refused' : 'throttled'),
  ],
  [
    'NotAuthenticated',
    'a made-up token renews a session',
    'a browser with an expired session sends no token',
    (rings) => proved((deps) => refreshSession(deps, rings ? 'x.y.z' : undefined), 'refused'),
  ],
  [
    'NotAuthenticated',
    'a mailed code is wrong',
    'the code is right',
    (rings) => proved((deps) => resetPassword(deps, reset), rings ? 'wrong_code' : 'done'),
  ],
  [
    'NotAuthenticated',
    'the present password is wrong',
    'the new password is weak',
    (rings) => {
      const change = { password: 'old password', new_password: PASSWORD };
      const person = { email: EMAIL, accessToken: 'a' };
      return proved((deps) => changePassword(deps, person, change), rings ? 'refused' : 'weak_password');
    },
  ],
];

it('every metric with an alarm has its two cases here', () => {
  expect(new Set(alarms.map(([metric]) => metric))).toEqual(new Set(metricNames));
});

describe.each(alarms)('the alarm %s', (metric, rings, isSilent, run) => {
  it(`is raised once if ${rings}`, async () => {
    expect((await run(true)).counted).toEqual([metric]);
  });

  it(`is not raised if ${isSilent}`, async () => {
    expect((await run(false)).counted).toEqual([]);
  });
});

it('the alarm UnusualSpend logs the organization, its spend and its usual spend', async () => {
  const { logged } = await spentInAnHour(300_000);
  expect(logged).toContainEqual({
    message: 'an organization uses unusually much credit',
    org_id: ORG,
    credits_of_the_hour: 300,
    credits_of_a_usual_hour: 10,
  });
});

it('the alarm UnitsBeyondHold counts the units that are not charged', async () => {
  const world = callWorld([aClaimedCall({ held: 1_800 })]);
  const counted: unknown[] = [];
  world.deps.count = (...count) => void counted.push(count);
  await Promise.all([world.apply(aReport()), world.apply(aReport())]);
  expect(counted).toEqual([['UnitsBeyondHold', 200]]);
});
