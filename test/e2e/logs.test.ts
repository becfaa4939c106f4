import type { FunctionName } from '../../lib/functions.ts';
import { loggedCalls } from '../support/logs/logged-calls.ts';
import { loggedCrmB } from '../support/logs/logged-crm-b.ts';
import { loggedDashboard } from '../support/logs/logged-dashboard.ts';
import { loggedHelpDesk } from '../support/logs/logged-help-desk.ts';
import { loggedKnowledge } from '../support/logs/logged-knowledge.ts';
import type { Expected, Scene } from '../support/logs/logged-scene.ts';
import { allLogs, hasLine, type Logs, lineWith, namelessIn, silentIn } from '../support/logs/logs.ts';
import { eventually, workersAreIdle } from '../support/stack/stack.ts';

describe('the log', () => {
  let secrets: string[];
  let written: Logs;
  let missing: Expected[];
  let nameless: FunctionName[];

  beforeAll(async () => {
    const [calls, dashboard, knowledge, remoteSystems] = await Promise.all([
      loggedCalls(),
      loggedDashboard(),
      loggedKnowledge(),
      // They share a simulator, which each scene resets.
      loggedCrmB().then(async (crmB) => [crmB, await loggedHelpDesk()]),
    ]);
    const scenes: Scene[] = [calls, dashboard, knowledge, ...remoteSystems];
    secrets = scenes.flatMap((scene) => scene.secrets);
    const expected = scenes.flatMap((scene) => scene.expected);
    const heard = await eventually(
      async () => {
        for (const scene of scenes) await scene.again();
        await workersAreIdle();
        const written = await allLogs();
        const missing = expected.filter((each) => !hasLine(written, ...each));
        return { silent: silentIn(written), nameless: namelessIn(written), missing, written };
      },
      ({ silent, nameless, missing }) => silent.length + nameless.length + missing.length === 0,
      180,
    );
    ({ written, missing, nameless } = heard);
  });

  it('contains no key, token, password, e-mail address, phone number, transcript, metadata or callback address', () => {
    const text = [...written.values()].join('\n');
    for (const secret of secrets) {
      expect(secret).not.toBe('');
      expect(lineWith(text, secret)).toBeUndefined();
    }
  });

  it('shows by ids which requests CRM-B and the help desk refused or delayed, and which consents are missing', () => {
    expect(missing).toEqual([]);
  });

  it("of every function that works on a call contains the call's id, or the connection's if no call exists yet", () => {
    expect(nameless).toEqual([]);
  });
});
