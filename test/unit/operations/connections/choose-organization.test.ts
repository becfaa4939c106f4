import type { TokenResult } from '../../../../shared/domain/connections/access/token-result.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { HelpDeskAccess } from '../../../../shared/integrations/help-desk/help-desk.ts';
import type { HelpDeskOrganizations } from '../../../../shared/integrations/help-desk/organizations.ts';
import { chooseOrganization } from '../../../../shared/operations/connections/choose-organization.ts';
import {
  resolveOrganization,
  storeOrganizations,
} from '../../../../shared/operations/connections/steps/organizations.ts';
import { aToken } from '../../../support/connections/access-token.ts';
import { connectionWorld } from '../../support/worlds/connection-world.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';

const own = { id: '60001', name: 'Zylker' };
const other = { id: '60002', name: 'Zylker Homes' };
const connected = aConnection({ type: 'help-desk', settings: { departmentId: '7' }, grant: aGrant() });
type Answer = Awaited<ReturnType<HelpDeskOrganizations['list']>>;
const listed = (...organizations: (typeof own)[]): Answer => ({ kind: 'found', organizations });

/** A connection, and a help desk with this answer. @param meanwhile runs during the request to the help desk */
function aDesk(answer: Answer, over: Partial<Connection> = {}, meanwhile?: (desk: Desk) => void) {
  const world = connectionWorld({ ...connected, ...over });
  const requests: TokenResult[] = [];
  const read = () => world.table.connection as Connection;
  const change = (changed: Partial<Connection>) => {
    world.table.connection = { ...read(), ...changed };
  };
  const reasons: string[] = [];
  const deps = {
    ...world.stores,
    accessTo: (connection: Connection) => ({
      host: 'https://desk.zoho.in',
      orgId: undefined,
      token: async () => aToken(connection.connection_id),
    }),
    helpDeskOrganizations: {
      list: async ({ token }: HelpDeskAccess) => {
        requests.push(await token());
        meanwhile?.({ read, change });
        return answer;
      },
    },
    warn: (_message: string, { reason }: { reason: string }) => void reasons.push(reason),
  };
  return {
    ...{ deps, requests, read, change },
    /** Chooses like a consent. @returns whether an organization is chosen, and the reason if not */
    connect: async () => [await chooseOrganization(deps, 'conn_1'), ...reasons],
    /** Chooses like a ticket. @returns the organization of the ticket */
    orgIdForTicket: async () => (await resolveOrganization(deps, read())).settings?.orgId,
  };
}
type Desk = { read: () => Connection; change: (changed: Partial<Connection>) => void };

const grantOf = (...organizations: (typeof own)[]) => ({ grant: aGrant({ organizations }) });
const set = (orgId: string) => ({ settings: { departmentId: '7', orgId } });

describe('the organization of a new grant', () => {
  it('is the only one of the grant, stored beside the other settings', async () => {
    const desk = aDesk(listed(own));
    expect(await desk.connect()).toEqual([true]);
    expect(desk.read()).toEqual({ ...connected, ...set(own.id), ...grantOf(own) });
  });

  it('is chosen by an operator if the grant has several, which are stored', async () => {
    const desk = aDesk(listed(own, other));
    expect(await desk.connect()).toEqual([false, expect.stringContaining('60001 (Zylker), 60002 (Zylker Homes)')]);
    expect(desk.read()).toEqual({ ...connected, ...grantOf(own, other) });
  });

  it('remains the chosen one, even if the grant does not have it', async () => {
    const several = aDesk(listed(own, other), set(other.id));
    expect(await several.connect()).toEqual([true]);
    const foreign = aDesk(listed(own), set(other.id));
    expect(await foreign.connect()).toEqual([false, expect.stringContaining("60002 is not the grant's")]);
    expect(foreign.read().settings).toEqual(set(other.id).settings);
  });

  it('is recorded as missing if the grant has no organization', async () => {
    const desk = aDesk({ kind: 'absent' });
    expect(await desk.connect()).toEqual([false, expect.stringMatching(/no organization/)]);
    expect(desk.read()).toEqual({ ...connected, ...grantOf() });
  });

  it.each<Answer>([
    { kind: 'unavailable', reason: 'too many requests' },
    { kind: 'refused', code: 'too many requests', status: 403 },
    { kind: 'reconnect_needed', reason: 'too many requests' },
  ])('does not change if the help desk does not list organizations: %j', async (answer) => {
    for (const over of [{}, set(own.id)]) {
      const desk = aDesk(answer, over);
      expect(await desk.connect()).toEqual([false, 'too many requests']);
      expect(desk.read()).toEqual({ ...connected, ...over });
    }
  });

  it('is not stored under a new grant that arrived in between', async () => {
    const grant = { ...grantOf().grant, id: 'grant-2' };
    const desk = aDesk(listed(own), {}, ({ change }) => change({ grant }));
    expect((await desk.connect())[0]).toBe(false);
    expect(desk.read()).toEqual({ ...connected, grant });
  });

  it('respects settings that changed in between', async () => {
    const settings = { departmentId: '8', orgId: other.id };
    const desk = aDesk(listed(own, other), {}, ({ change }) => change({ settings }));
    expect(await desk.connect()).toEqual([true]);
    expect(desk.read().settings).toEqual(settings);
  });
});

describe('the organization of a ticket', () => {
  it('is requested from the help desk, and the connection is read again after that', async () => {
    const access = { version: 2, token: 'conn_1:access-2', expires_at: '2026-03-02T06:30:00.000Z' };
    const desk = aDesk(listed(own), grantOf(), ({ change }) => change({ access }));
    const resolved = { ...connected, ...set(own.id), ...grantOf(own), access };
    expect(await resolveOrganization(desk.deps, desk.read())).toEqual(resolved);
  });

  it('is the organization of the settings, without a request, unless the grant is known not to have it', async () => {
    for (const over of [set(own.id), { ...set(own.id), ...grantOf(own, other) }]) {
      const desk = aDesk(listed(other), over);
      expect(await desk.orgIdForTicket()).toBe(own.id);
      expect(desk.requests).toEqual([]);
    }
    const added = aDesk(listed(own, other), { ...set(other.id), ...grantOf(own) });
    expect(await added.orgIdForTicket()).toBe(other.id);
    const foreign = aDesk(listed(own), { ...set(other.id), ...grantOf(own) });
    expect(await foreign.orgIdForTicket()).toBeUndefined();
  });

  it('is requested until it is known if the settings have none', async () => {
    const desk = aDesk(listed(own));
    expect([await desk.orgIdForTicket(), await desk.orgIdForTicket()]).toEqual([own.id, own.id]);
    expect(desk.requests).toEqual([aToken('conn_1')]);
    expect(await aDesk(listed(own, other)).orgIdForTicket()).toBeUndefined();
    expect(await aDesk({ kind: 'unavailable', reason: 'x' }).orgIdForTicket()).toBeUndefined();
  });
});

describe('the organizations of a grant', () => {
  const busy = { kind: 'unavailable', reason: 'the connection is being changed' };
  it.each([
    [2, { kind: 'chosen', orgId: own.id }, { departmentId: 'changed-0', orgId: own.id }],
    [3, busy, { departmentId: 'changed-0' }],
  ])(
    'are stored again if the settings changed in between, at most three times: %d',
    async (changes, choice, settings) => {
      const { deps, read, change } = aDesk(listed(own));
      let left = changes;
      const { noteOrganizations } = deps.grants;
      deps.grants.noteOrganizations = async (...args) => {
        if (left-- > 0) change({ settings: { departmentId: `changed-${left}` } });
        return noteOrganizations(...args);
      };
      expect(await storeOrganizations(deps, read(), [own])).toEqual(choice);
      expect(read().settings).toEqual(settings);
    },
  );
});
