import type { Script } from '../../local/simulators/voice/scripts.ts';
import { changeOrg } from '../support/organizations/orgs.ts';
import { concurrently, voice } from '../support/stack/stack.ts';
import { anotherProbe, aProbe, place, type RestProbe } from './support/probes.ts';
import { expectAllKept, expectCompletedOnce, settle } from './support/promises.ts';
import { isMatrix } from './support/rounds.ts';

const answered: Script = { behaviour: 'answer' };

/** The platform's behaviours, all of which some calls meet. */
const behaviours: Script[] = [
  { behaviour: 'no-answer' },
  { behaviour: 'busy' },
  { behaviour: 'refuse' },
  { behaviour: 'server-error' },
  { behaviour: 'server-error-after-dialing' },
  { behaviour: 'hang' },
  { behaviour: 'drop-after-accepting' },
  { behaviour: 'rate-limited' },
  { behaviour: 'not-started', endedReason: 'call.start.error-subscription-concurrency-limit-reached' },
  { behaviour: 'answer' },
];
/** Faults of the platform's messages; the matrix has calls without any, too. */
const messages = [
  ...[{ duplicateMessages: true }, { shuffleMessages: true }, { dropLast: 'ended-and-report' }],
  ...(isMatrix ? [{}] : []),
];

const hasMessages = ({ behaviour }: Script) => !['refuse', 'server-error', 'rate-limited'].includes(behaviour);

type Scripts = [Script, ...Script[]];

/** Every behaviour with every fault of its messages. If a call was not dialed, the next attempt is answered. */
const scripts = behaviours.flatMap((script): Scripts[] =>
  hasMessages(script) ? messages.map((more) => [{ ...script, ...more } as Script, answered]) : [[script, answered]],
);
const scriptsOf = (index: number) => scripts[index % scripts.length] as Scripts;

const placeAll = (probes: readonly RestProbe[]) => concurrently(10, probes, place);

/** Calls of one organization, which all write its credit. Their wait for a slot is not limited. */
async function probesOfOneOrg(count: number, scriptsOfCall: (index: number) => Scripts): Promise<RestProbe[]> {
  const { org } = await aProbe();
  await changeOrg(org.orgId, { max_wait_minutes: 120 });
  const probes = Array.from({ length: count }, () => anotherProbe(org));
  await Promise.all(probes.map(({ phone }, index) => voice.script(phone, ...scriptsOfCall(index))));
  return probes;
}

/** The matrix makes many more. */
const CALLS = isMatrix ? 200 : scripts.length;
/** More than the platform's slots. */
const ANSWERED_CALLS = isMatrix ? 60 : 15;

describe('a burst of calls', () => {
  afterAll(() => voice.settings({ slots: 100, whenFull: 'refuse' }));

  it(`${CALLS} concurrent calls, with every fault of the platform: each rings at most once and ends, and the books balance`, async () => {
    await voice.settings({ speed: 200, slots: 10, whenFull: 'refuse' });
    const probes = await probesOfOneOrg(CALLS, scriptsOf);
    await placeAll(probes);
    await settle(probes, { minutes: 120 });
    const calls = await expectAllKept(probes);
    // No call was lost: every call that was not refused rang its phone.
    const { byNumber } = await voice.allRings();
    for (const { phone_number, ended_reason } of calls)
      expect([ended_reason, byNumber[phone_number] ?? 0]).toEqual([
        ended_reason,
        ended_reason === 'platform answered 400' ? 0 : 1,
      ]);
  });

  const platforms = [
    { slots: 10, whenFull: 'refuse' },
    { slots: 6, whenFull: 'accept-then-end' },
    { slots: 10, whenFull: 'accept-then-end' },
    { slots: 6, whenFull: 'refuse' },
  ] as const;
  it.each(isMatrix ? platforms : platforms.slice(0, 1))(
    `${ANSWERED_CALLS} calls on a platform of $slots slots (when full: $whenFull): all complete`,
    async (settings) => {
      await voice.settings({ speed: 200, ...settings });
      const probes = await probesOfOneOrg(ANSWERED_CALLS, () => [{ ...answered, talkSeconds: 150 }]);
      await placeAll(probes);
      await expectCompletedOnce(probes, { step: 20 });
    },
  );
});
