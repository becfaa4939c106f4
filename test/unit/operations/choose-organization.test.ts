import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../../../shared/domain/connection.ts';
import { AccessUnavailable, ReconnectNeeded } from '../../../shared/domain/crm-access.ts';
import type { HelpDeskOrganizations } from '../../../shared/integrations/help-desk/organizations.ts';
import {
  askForOrganization,
  chooseOrganization,
  noteOrganizations,
} from '../../../shared/operations/choose-organization.ts';
import { grantsInMemory } from '../support/grants.ts';

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

describe('the organization of a grant', () => {
  it('is the only one there is, stored with what else is set', async () => {
    const { deps, read } = aDesk(listed(own));
    expect(await askForOrganization(deps, read())).toEqual({ kind: 'chosen', orgId: own.id });
    expect(read().settings).toEqual({ departmentId: '7', orgId: own.id });
    expect(read().grant).toEqual({ ...connected.grant, organizations: [own] });
  });

  it('is chosen by people where there are several, which are stored', async () => {
    const { deps, read } = aDesk(listed(own, other));
    expect(await askForOrganization(deps, read())).toMatchObject({
      kind: 'not_chosen',
      reason: expect.stringContaining('60001 (Zylker), 60002 (Zylker Homes)'),
    });
    expect(read().settings).toEqual(connected.settings);
    expect(read().grant?.organizations).toEqual([own, other]);
  });

  it('stays the chosen one among several, and is never replaced by another', async () => {
    const settings = { departmentId: '7', orgId: other.id };
    const several = aDesk(listed(own, other), { settings });
    expect(await askForOrganization(several.deps, several.read())).toEqual({ kind: 'chosen', orgId: other.id });
    const foreign = aDesk(listed(own), { settings });
    expect(await askForOrganization(foreign.deps, foreign.read())).toMatchObject({ kind: 'not_chosen' });
    expect(foreign.read().settings).toEqual(settings);
  });

  it.each<[string, Told | Error]>([
    ['unavailable', { kind: 'unavailable', reason: 'too many requests' }],
    ['unavailable', new AccessUnavailable('too many requests')],
    ['not_chosen', { kind: 'refused', code: 'too many requests', status: 403 }],
    ['not_chosen', new ReconnectNeeded('too many requests')],
  ])('leaves all as it is where the help desk does not tell (%s): %j', async (kind, told) => {
    const none = aDesk(told);
    expect(await askForOrganization(none.deps, none.read())).toMatchObject({
      kind,
      reason: expect.stringContaining('too many requests'),
    });
    expect(none.read()).toEqual(connected);
    // What was set by hand is tried: the help desk itself refuses a stranger's.
    const set = aDesk(told, { settings: { departmentId: '7', orgId: own.id } });
    expect(await askForOrganization(set.deps, set.read())).toEqual({ kind: 'chosen', orgId: own.id });
    // But not what is known to be none of the grant's.
    const foreign = aDesk(told, {
      settings: { departmentId: '7', orgId: other.id },
      grant: { ...(connected.grant as NonNullable<Connection['grant']>), organizations: [own] },
    });
    expect((await askForOrganization(foreign.deps, foreign.read())).kind).not.toBe('chosen');
  });

  it('is known not to be there where the help desk has none', async () => {
    const { deps, read } = aDesk({ kind: 'absent' });
    expect(await askForOrganization(deps, read())).toMatchObject({ kind: 'not_chosen' });
    expect(read().grant?.organizations).toEqual([]);
  });

  it('is not asked for by a ticket where it is chosen, and is where it is not known', async () => {
    const { deps, asked, read } = aDesk(listed(own));
    expect(await chooseOrganization(deps, read())).toEqual({ kind: 'chosen', orgId: own.id });
    expect(await chooseOrganization(deps, read())).toEqual({ kind: 'chosen', orgId: own.id });
    expect(asked).toEqual(['conn_1']);
  });

  it('is asked for anew by a ticket where the chosen one is not among those that were told once', async () => {
    const grant = { ...(connected.grant as NonNullable<Connection['grant']>), organizations: [own] };
    const { deps, read } = aDesk(listed(own, other), { grant, settings: { departmentId: '7', orgId: other.id } });
    expect(await chooseOrganization(deps, read())).toEqual({ kind: 'chosen', orgId: other.id });
  });

  it('is not stored under a grant that has taken the place of the one that was asked for', async () => {
    const { deps, read, table } = aDesk(listed(own), {}, (connection) => {
      table.connection = { ...connection, grant: { ...connection.grant, id: 'grant-2' } as Connection['grant'] };
    });
    expect(await askForOrganization(deps, read())).toMatchObject({ kind: 'unavailable' });
    expect(read().settings).toEqual(connected.settings);
    expect(read().grant).not.toHaveProperty('organizations');
  });

  it('goes by what was set while it was asked for', async () => {
    const { deps, read, table } = aDesk(listed(own, other), {}, (connection) => {
      table.connection = { ...connection, settings: { departmentId: '8', orgId: other.id } };
    });
    expect(await askForOrganization(deps, read())).toEqual({ kind: 'chosen', orgId: other.id });
    expect(read().settings).toEqual({ departmentId: '8', orgId: other.id });
  });

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
      expect(await noteOrganizations({ connections, grants: changing }, read(), [own])).toMatchObject({ kind });
      expect(read().settings).toEqual({
        departmentId: 'changed-0',
        ...(kind === 'chosen' && { orgId: own.id }),
      });
    }
  });
});
