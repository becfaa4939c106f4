import { type ListChoicesDeps, listChoices } from '../../../../shared/operations/connections/list-choices.ts';
import { aToken } from '../../../support/connections/access-token.ts';
import { aConnection, aGrant, anAssistant } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';

const named = (id: string) => ({ id, name: `name of ${id}` });
const found = <Item>(...items: Item[]) => ({ kind: 'found' as const, items });
const never = () => new Promise<never>(() => undefined);

/** The remote systems; `asked` contains the organizations that requests named. */
function remote(over: { crmB?: object; helpDesk?: object; organizations?: object; isSlow?: boolean } = {}) {
  const asked: (string | undefined)[] = [];
  const warned: unknown[] = [];
  const deps = {
    assistants: aWorld({ assistants: [anAssistant()] }).stores.assistants,
    crmB: {
      users: async () => found(named('u1')),
      leadFields: async () => found({ name: 'Lead_Status', label: 'Lead Status', values: ['RNR'] }),
      ...over.crmB,
    },
    crmBAccessTo: () => ({ apiDomain: 'https://crm.example', token: async () => aToken('t') }),
    helpDesk: {
      departments: async ({ orgId }: { orgId: string | undefined }) => {
        asked.push(orgId);
        return found(named('d1'));
      },
      agents: async () => found(named('a1')),
      ...over.helpDesk,
    },
    helpDeskOrganizations: {
      list: async () => over.organizations ?? { kind: 'found', organizations: [named('1'), named('2')] },
    },
    helpDeskAccessTo: ({ settings }: { settings?: { orgId?: string } }) => ({
      host: 'https://desk.example',
      orgId: settings?.orgId,
      token: async () => aToken('t'),
    }),
    warn: (_message: string, facts: object) => void warned.push(facts),
    sleep: (milliseconds: number) => (over.isSlow || milliseconds < 1_000 ? Promise.resolve() : never()),
  } as unknown as ListChoicesDeps;
  return { deps, asked, warned };
}

const crmB = aConnection({ grant: aGrant() });
const helpDesk = aConnection({ type: 'help-desk', grant: aGrant() });

describe('the choices for settings', () => {
  it('of CRM-B are its users and the fields of its leads', async () => {
    expect(await listChoices(remote().deps, crmB)).toMatchObject({
      assistants: [{ id: 'asst_1', name: 'Asha' }],
      owners: [named('u1')],
      lead_fields: [{ name: 'Lead_Status', values: ['RNR'] }],
      departments: null,
      failure: null,
    });
  });

  it('of the help desk are its organizations, and departments and agents of the requested one', async () => {
    const { deps, asked } = remote();
    expect(await listChoices(deps, helpDesk)).toMatchObject({ organizations: [named('1'), named('2')], agents: null });
    expect(await listChoices(deps, helpDesk, '2')).toMatchObject({ departments: [named('d1')], agents: [named('a1')] });
    await listChoices(deps, { ...helpDesk, settings: { orgId: '1' } });
    await listChoices(remote({ organizations: { kind: 'found', organizations: [named('9')] } }).deps, helpDesk);
    expect(asked).toEqual(['2', '1']);
  });

  it('are missing, with a line in the log, if a request throws', async () => {
    const { deps, warned } = remote({ crmB: { users: () => Promise.reject(new TypeError('x is undefined')) } });
    expect(await listChoices(deps, crmB)).toMatchObject({ owners: null, failure: 'unavailable' });
    expect(warned).toEqual([{ connection_id: crmB.connection_id, error: 'TypeError' }]);
  });

  it('are requested once more if the system is unavailable, unless it demands a longer wait', async () => {
    const answering = (...answers: object[]) => {
      const users = jest.fn(async () => answers.shift());
      return { users, ...remote({ crmB: { users } }) };
    };
    const busy = { kind: 'unavailable', reason: 'status 503' };
    const once = answering(busy, found(named('u1')));
    expect(await listChoices(once.deps, crmB)).toMatchObject({ owners: [named('u1')], failure: null });
    expect(once.warned).toEqual([]);
    const twice = answering(busy, busy, found(named('u1')));
    expect(await listChoices(twice.deps, crmB)).toMatchObject({ owners: null, failure: 'unavailable' });
    expect(twice.warned).toEqual([{ connection_id: crmB.connection_id, error: 'status 503' }]);
    const throttled = answering({ ...busy, retryAfterSeconds: 60 }, found(named('u1')));
    expect(await listChoices(throttled.deps, crmB)).toMatchObject({ owners: null, failure: 'unavailable' });
    expect(throttled.users).toHaveBeenCalledTimes(1);
  });

  it('are those that were read, with the reason why others are missing', async () => {
    const refused = { leadFields: async () => ({ kind: 'refused', reason: 'OAUTH_SCOPE_MISMATCH' }) };
    expect(await listChoices(remote({ crmB: refused }).deps, crmB)).toMatchObject({
      owners: [named('u1')],
      lead_fields: null,
      failure: 'refused',
    });
    const gone = { users: async () => ({ kind: 'refused', reason: 'x', needsConsent: true }) };
    expect(await listChoices(remote({ crmB: gone }).deps, crmB)).toMatchObject({ failure: 'reconnect_needed' });
    const broken = { agents: () => Promise.reject(new Error('x')) };
    expect(await listChoices(remote({ helpDesk: broken }).deps, helpDesk, '1')).toMatchObject({
      departments: [named('d1')],
      agents: null,
      failure: 'unavailable',
    });
  });

  it('do not make a person wait for a system that hangs', async () => {
    const { deps, warned } = remote({ crmB: { users: never, leadFields: never }, isSlow: true });
    expect(await listChoices(deps, crmB)).toMatchObject({ owners: null, lead_fields: null, failure: 'unavailable' });
    expect(warned).toEqual(Array(2).fill({ connection_id: crmB.connection_id, error: 'no answer in time' }));
  });

  it('are not requested without a consent, or for CRM-A', async () => {
    const unasked = { assistants: remote().deps.assistants } as ListChoicesDeps;
    expect(await listChoices(unasked, aConnection())).toMatchObject({ owners: null, failure: 'not_connected' });
    const reconnect_needed = { at: '', reason: 'revoked' };
    expect(await listChoices(unasked, { ...crmB, reconnect_needed })).toMatchObject({ failure: 'reconnect_needed' });
    expect(await listChoices(unasked, aConnection({ type: 'crm-a' }))).toMatchObject({ owners: null, failure: null });
  });
});
