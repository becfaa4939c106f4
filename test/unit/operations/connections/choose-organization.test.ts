import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { TokenResult } from '../../../../shared/domain/connections/token-result.ts';
import type { HelpDeskAccess } from '../../../../shared/integrations/help-desk/help-desk.ts';
import type { HelpDeskOrganizations } from '../../../../shared/integrations/help-desk/organizations.ts';
import { chooseOrganization } from '../../../../shared/operations/connections/choose-organization.ts';
import { resolveOrganization } from '../../../../shared/operations/connections/resolve-organization.ts';
import { storeOrganizations } from '../../../../shared/operations/connections/store-organizations.ts';
import { aToken } from '../../../support/access-token.ts';
import { connectionWorld } from '../../support/connection-world.ts';
import { aConnection, aGrant } from '../../support/items.ts';

const own = { id: '60001', name: 'Zylker' };
const other = { id: '60002', name: 'Zylker Homes' };
const connected = aConnection({ type: 'help-desk', settings: { departmentId: '7' }, grant: aGrant() });
type Told = Awaited<ReturnType<HelpDeskOrganizations['list']>>;
const listed = (...organizations: (typeof own)[]): Told => ({ kind: 'found', organizations });

/** A connection, and a help desk with this answer. @param meanwhile runs during the request to the help desk. */
function aDesk(told: Told, over: Partial<Connection> = {}, meanwhile = (_read: Connection) => undefined as unknown) {
  const world = connectionWorld({ ...connected, ...over });
  const asked: TokenResult[] = [];
  const deps = {
    ...world.stores,
    accessTo: (connection: Connection) => ({
      host: 'https://desk.zoho.in',
      orgId: undefined,
      token: async () => aToken(connection.connection_id),
    }),
    helpDeskOrganizations: {
      list: async ({ token }: HelpDeskAccess) => {
        asked.push(await token());
        meanwhile(read());
        return told;
      },
    },
  };
  const read = () => world.table.connection as Connection;
  return { table: world.table, deps, asked, read };
}

/** Chooses as a consent does. @returns whether an organization is chosen, and the reason if not. */
async function connect({ deps }: ReturnType<typeof aDesk>) {
  const reasons: string[] = [];
  const warn = (_message: string, { reason }: { reason: string }) => void reasons.push(reason);
  return [await chooseOrganization({ ...deps, warn }, 'conn_1'), ...reasons];
}

/** Chooses as a ticket does. @returns the organization of the ticket. */
const orgIdFor = async ({ deps, read }: ReturnType<typeof aDesk>) =>
  (await resolveOrganization(deps, read())).settings?.orgId;

const grantOf = (...organizations: (typeof own)[]) => ({ grant: aGrant({ organizations }) });
const set = (orgId: string) => ({ settings: { departmentId: '7', orgId } });

describe('the organization of a new grant', () => {
  it('is the only one of the grant, stored beside the other settings', async () => {
    const desk = aDesk(listed(own));
    expect(await connect(desk)).toEqual([true]);
    expect(desk.read()).toEqual({ ...connected, ...set(own.id), ...grantOf(own) });
  });

  it('is chosen by an operator if the grant has several, which are stored', async () => {
    const desk = aDesk(listed(own, other));
    expect(await connect(desk)).toEqual([false, expect.stringContaining('60001 (Zylker), 60002 (Zylker Homes)')]);
    expect(desk.read()).toEqual({ ...connected, ...grantOf(own, other) });
  });

  it('remains the chosen one, even if the grant does not have it', async () => {
    const several = aDesk(listed(own, other), set(other.id));
    expect(await connect(several)).toEqual([true]);
    const foreign = aDesk(listed(own), set(other.id));
    expect(await connect(foreign)).toEqual([false, expect.stringContaining("60002 is not the grant's")]);
    expect(foreign.read().settings).toEqual(set(other.id).settings);
  });

  it('is recorded as missing if the grant has none', async () => {
    const desk = aDesk({ kind: 'absent' });
    expect(await connect(desk)).toEqual([false, expect.stringMatching(/no organization/)]);
    expect(desk.read()).toEqual({ ...connected, ...grantOf() });
  });

  it.each<Told>([
    { kind: 'unavailable', reason: 'too many requests' },
    { kind: 'refused', code: 'too many requests', status: 403 },
    { kind: 'reconnect_needed', reason: 'too many requests' },
  ])('does not change if the help desk does not list organizations: %j', async (told) => {
    for (const over of [{}, set(own.id)]) {
      const desk = aDesk(told, over);
      expect(await connect(desk)).toEqual([false, 'too many requests']);
      expect(desk.read()).toEqual({ ...connected, ...over });
    }
  });

  it('is not stored under a new grant that arrived meanwhile', async () => {
    const desk = aDesk(listed(own), {}, (connection) => {
      desk.table.connection = { ...connection, grant: { ...grantOf().grant, id: 'grant-2' } };
    });
    expect((await connect(desk))[0]).toBe(false);
    expect(desk.read()).toEqual({ ...connected, grant: { ...grantOf().grant, id: 'grant-2' } });
  });

  it('respects settings that changed meanwhile', async () => {
    const desk = aDesk(listed(own, other), {}, (connection) => {
      desk.table.connection = { ...connection, settings: { departmentId: '8', orgId: other.id } };
    });
    expect(await connect(desk)).toEqual([true]);
    expect(desk.read().settings).toEqual({ departmentId: '8', orgId: other.id });
  });
});

describe('the organization of a ticket', () => {
  it('is requested, and the connection is read again after that', async () => {
    const access = { version: 2, token: 'conn_1:access-2', expires_at: '2026-03-02T06:30:00.000Z' };
    const desk = aDesk(listed(own), grantOf(), ({ connection_id }) => {
      expect(connection_id).toBe('conn_1');
      desk.table.connection = { ...desk.read(), access };
    });
    expect(await resolveOrganization(desk.deps, desk.read())).toEqual({
      ...connected,
      ...set(own.id),
      ...grantOf(own),
      access,
    });
  });

  it('is the one of the settings, without a request, unless the grant is known not to have it', async () => {
    for (const over of [set(own.id), { ...set(own.id), ...grantOf(own, other) }]) {
      const desk = aDesk(listed(other), over);
      expect(await orgIdFor(desk)).toBe(own.id);
      expect(desk.asked).toEqual([]);
    }
    const added = aDesk(listed(own, other), { ...set(other.id), ...grantOf(own) });
    expect(await orgIdFor(added)).toBe(other.id);
    const foreign = aDesk(listed(own), { ...set(other.id), ...grantOf(own) });
    expect(await orgIdFor(foreign)).toBeUndefined();
  });

  it('is requested if none is set, until it is known', async () => {
    const desk = aDesk(listed(own));
    expect([await orgIdFor(desk), await orgIdFor(desk)]).toEqual([own.id, own.id]);
    expect(desk.asked).toEqual([aToken('conn_1')]);
    expect(await orgIdFor(aDesk(listed(own, other)))).toBeUndefined();
    expect(await orgIdFor(aDesk({ kind: 'unavailable', reason: 'x' }))).toBeUndefined();
  });
});

describe('the organizations of a grant', () => {
  it('are stored again if the settings changed meanwhile, at most three times', async () => {
    for (const [changes, kind] of [
      [2, 'chosen'],
      [3, 'unavailable'],
    ] as const) {
      const { deps, read, table } = aDesk(listed(own));
      let left: number = changes;
      const changing = {
        noteOrganizations: async (...[before, grant, settings]: Parameters<typeof deps.grants.noteOrganizations>) => {
          if (left-- > 0) table.connection = { ...read(), settings: { departmentId: `changed-${left}` } };
          return deps.grants.noteOrganizations(before, grant, settings);
        },
      };
      expect(await storeOrganizations({ ...deps, grants: changing }, read(), [own])).toMatchObject({ kind });
      expect(read().settings).toEqual({
        departmentId: 'changed-0',
        ...(kind === 'chosen' && { orgId: own.id }),
      });
    }
  });
});
