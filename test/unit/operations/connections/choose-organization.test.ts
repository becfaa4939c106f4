import { describe, expect, it } from '@jest/globals';
import { AccessUnavailable, ReconnectNeeded } from '../../../../shared/domain/connections/access-errors.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { HelpDeskOrganizations } from '../../../../shared/integrations/help-desk/organizations.ts';
import { chooseOrganization } from '../../../../shared/operations/connections/choose-organization.ts';
import { resolveOrganization } from '../../../../shared/operations/connections/resolve-organization.ts';
import { storeOrganizations } from '../../../../shared/operations/connections/store-organizations.ts';
import { grantsInMemory } from '../../support/grants.ts';

const own = { id: '60001', name: 'Zylker' };
const other = { id: '60002', name: 'Zylker Homes' };
const connected: Connection = {
  connection_id: 'conn_1',
  org_id: 'org1',
  type: 'help-desk',
  created_at: '2026-03-02T06:00:00.000Z',
  auto_call: true,
  settings: { departmentId: '7' },
  grant: {
    id: 'grant-1',
    data_center: 'in',
    accounts_server: 'https://accounts.zoho.in',
    api_domain: 'https://www.zohoapis.in',
    refresh_token: 'sealed',
    granted_at: '2026-03-02T06:00:00.000Z',
  },
};
type Told = Awaited<ReturnType<HelpDeskOrganizations['list']>>;
const listed = (...organizations: (typeof own)[]): Told => ({ kind: 'found', organizations });

/** One connection in memory, and a help desk that tells what it is told to; `meanwhile` happens while it is asked. */
function aDesk(
  told: Told | Error,
  over: Partial<Connection> = {},
  meanwhile = (_read: Connection) => undefined as unknown,
) {
  const memory = grantsInMemory({ ...connected, ...over });
  const asked: string[] = [];
  const deps = {
    ...memory,
    accessTo: (connection: Connection) => ({
      host: 'https://desk.zoho.in',
      orgId: undefined,
      token: async () => connection.connection_id,
    }),
    helpDeskOrganizations: {
      list: async ({ token }: { token: () => Promise<string> }) => {
        asked.push(await token());
        meanwhile(memory.table.connection as Connection);
        if (told instanceof Error) throw told;
        return told;
      },
    },
  };
  const read = () => memory.table.connection as Connection;
  return { ...memory, deps, asked, read };
}

/** As a consent does it. @returns whether one is chosen, and why not. */
async function connect({ deps }: ReturnType<typeof aDesk>) {
  const reasons: string[] = [];
  const warn = (_message: string, { reason }: { reason: string }) => void reasons.push(reason);
  return [await chooseOrganization({ ...deps, warn }, 'conn_1'), ...reasons];
}

/** As a ticket does it. @returns where it goes. */
const orgIdFor = async ({ deps, read }: ReturnType<typeof aDesk>) =>
  (await resolveOrganization(deps, read())).settings?.orgId;

const grantOf = (...organizations: (typeof own)[]) => ({
  grant: { ...(connected.grant as NonNullable<Connection['grant']>), organizations },
});
const set = (orgId: string) => ({ settings: { departmentId: '7', orgId } });

describe('the organization of a new grant', () => {
  it('is the only one there is, stored with what else is set', async () => {
    const desk = aDesk(listed(own));
    expect(await connect(desk)).toEqual([true]);
    expect(desk.read()).toEqual({ ...connected, ...set(own.id), ...grantOf(own) });
  });

  it('is chosen by people where there are several, which are stored', async () => {
    const desk = aDesk(listed(own, other));
    expect(await connect(desk)).toEqual([false, expect.stringContaining('60001 (Zylker), 60002 (Zylker Homes)')]);
    expect(desk.read()).toEqual({ ...connected, ...grantOf(own, other) });
  });

  it('stays the chosen one among several, and is never replaced by another', async () => {
    const several = aDesk(listed(own, other), set(other.id));
    expect(await connect(several)).toEqual([true]);
    const foreign = aDesk(listed(own), set(other.id));
    expect(await connect(foreign)).toEqual([false, expect.stringContaining("60002 is not the grant's")]);
    expect(foreign.read().settings).toEqual(set(other.id).settings);
  });

  it('is known not to be there where the help desk has none', async () => {
    const desk = aDesk({ kind: 'absent' });
    expect(await connect(desk)).toEqual([false, expect.stringMatching(/no organization/)]);
    expect(desk.read()).toEqual({ ...connected, ...grantOf() });
  });

  it.each<[Told | Error]>([
    [{ kind: 'unavailable', reason: 'too many requests' }],
    [new AccessUnavailable('too many requests')],
    [{ kind: 'refused', code: 'too many requests', status: 403 }],
    [new ReconnectNeeded('too many requests')],
  ])('is not known where the help desk does not tell, and all stays as it is: %j', async (told) => {
    for (const over of [{}, set(own.id)]) {
      const desk = aDesk(told, over);
      expect(await connect(desk)).toEqual([false, 'too many requests']);
      expect(desk.read()).toEqual({ ...connected, ...over });
    }
  });

  it('is not stored under a grant that has taken the place of the one that was asked for', async () => {
    const desk = aDesk(listed(own), {}, (connection) => {
      desk.table.connection = { ...connection, grant: { ...grantOf().grant, id: 'grant-2' } };
    });
    expect((await connect(desk))[0]).toBe(false);
    expect(desk.read()).toEqual({ ...connected, grant: { ...grantOf().grant, id: 'grant-2' } });
  });

  it('goes by what was set while it was asked for', async () => {
    const desk = aDesk(listed(own, other), {}, (connection) => {
      desk.table.connection = { ...connection, settings: { departmentId: '8', orgId: other.id } };
    });
    expect(await connect(desk)).toEqual([true]);
    expect(desk.read().settings).toEqual({ departmentId: '8', orgId: other.id });
  });
});

describe('the organization of a ticket', () => {
  it('is asked for with the connection as it is afterwards: its token, and what was learned', async () => {
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

  it('is the one that is set, and nothing is asked, unless it is known to be none of the grant', async () => {
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

  it('is asked for where none is set, until it is known', async () => {
    const desk = aDesk(listed(own));
    expect([await orgIdFor(desk), await orgIdFor(desk)]).toEqual([own.id, own.id]);
    expect(desk.asked).toEqual(['conn_1']);
    expect(await orgIdFor(aDesk(listed(own, other)))).toBeUndefined();
    expect(await orgIdFor(aDesk(new AccessUnavailable('x')))).toBeUndefined();
  });
});

describe('what the help desk has told', () => {
  it('is stored once more where the settings change in between, and given up where they never rest', async () => {
    for (const [changes, kind] of [
      [2, 'chosen'],
      [3, 'unavailable'],
    ] as const) {
      const { grants, connections, read, table } = aDesk(listed(own));
      let left: number = changes;
      const changing = {
        noteOrganizations: async (...[before, grant, settings]: Parameters<typeof grants.noteOrganizations>) => {
          if (left-- > 0) table.connection = { ...read(), settings: { departmentId: `changed-${left}` } };
          return grants.noteOrganizations(before, grant, settings);
        },
      };
      expect(await storeOrganizations({ connections, grants: changing }, read(), [own])).toMatchObject({ kind });
      expect(read().settings).toEqual({
        departmentId: 'changed-0',
        ...(kind === 'chosen' && { orgId: own.id }),
      });
    }
  });
});
