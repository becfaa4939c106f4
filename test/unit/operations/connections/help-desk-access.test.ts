import {
  type DataCenter,
  dataCenterHosts,
  dataCenters,
} from '../../../../shared/domain/connections/access/data-center.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { helpDeskAccess } from '../../../../shared/operations/connections/access/connection-access.ts';
import { aToken } from '../../../support/connections/access-token.ts';
import { connectionWorld } from '../../support/worlds/connection-world.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';

const grantOf = (data_center: DataCenter) => aGrant({ id: `grant-${data_center}`, data_center });
const expires_at = '2026-03-02T06:30:00.000Z';
const accessOf = (version: number) => ({ version, token: `conn_1:access-${version}`, expires_at });
const connected = aConnection({
  type: 'help-desk',
  settings: { departmentId: '7', orgId: '60001' },
  grant: grantOf('in'),
  access: accessOf(1),
});

function accessTo(connection: Connection, helpDeskUrl?: string) {
  const world = connectionWorld(connection);
  const unasked = async (): Promise<never> => {
    throw new Error('asked');
  };
  const deps = { ...world.common, accounts: { refresh: unasked }, clientOf: unasked, sleep: unasked };
  return {
    ...world.stores,
    grant: world.grant,
    table: world.table,
    access: helpDeskAccess({ ...deps, helpDeskUrl })(connection),
  };
}

describe('the access to the help desk', () => {
  it.each(dataCenters)('uses the help desk host of the grant’s data center, not its API domain: %s', (dataCenter) => {
    const { access } = accessTo({ ...connected, grant: grantOf(dataCenter) });
    expect(access.host).toBe(dataCenterHosts[dataCenter].helpDesk);
  });

  it('uses the address that the stage sets', () => {
    expect(accessTo(connected, 'http://127.0.0.1:4000').access.host).toBe('http://127.0.0.1:4000');
  });

  it('names the organization of the settings if one is set', () => {
    expect(accessTo(connected).access.orgId).toBe('60001');
    for (const settings of [{ departmentId: '7' }, undefined])
      expect(accessTo({ ...connected, settings }).access.orgId).toBeUndefined();
  });

  it('names no organization that the grant is known not to have, even after the connection was read again', async () => {
    const grant = { ...grantOf('in'), organizations: [{ id: '60002', name: 'Zylker Homes' }] };
    expect(accessTo({ ...connected, grant }).access.orgId).toBeUndefined();
    const { access, table } = accessTo({ ...connected, grant, settings: { departmentId: '7' } });
    table.connection = { ...connected, grant, access: accessOf(2) };
    expect(await access.token('access-1')).toEqual(aToken('access-2'));
    expect(access.orgId).toBeUndefined();
  });

  it('follows a new grant', async () => {
    const { access, grant } = accessTo(connected);
    expect(await access.token()).toEqual(aToken('access-1'));
    await grant(grantOf('eu'), accessOf(2));
    expect(await access.token('access-1')).toEqual(aToken('access-2'));
    expect(access.host).toBe(dataCenterHosts.eu.helpDesk);
  });
});
