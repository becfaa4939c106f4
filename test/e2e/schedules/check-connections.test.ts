import type { ExpiredConsentsReport } from '../../../shared/operations/connections/end-expired-consents.ts';
import {
  anUnconnected,
  authorizeUrlOf,
  callBack,
  connectsOften,
  consentTo,
  tokens,
} from '../../support/connections/crm-b.ts';
import { stores } from '../../support/organizations/orgs.ts';
import { crmB, eventually, passTime, runSchedule } from '../../support/stack/stack.ts';

const HOUR = 3_600;
const check = async () => (await runSchedule<{ consents: ExpiredConsentsReport }>('check-connections')).consents;

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
});

/** A connection with a consent that waits for its confirmation, and the consent's refresh token. */
async function aPending(type: 'crm-b' | 'help-desk') {
  const { connection } = await anUnconnected(type);
  const { connection_id: id } = connection;
  const url = await authorizeUrlOf(connection, 'in', { connects: 'when_confirmed' });
  expect((await callBack(await consentTo(url))).result).toEqual({ pending: id });
  const pending = async () => (await stores.connections.get(id))?.pending_consent;
  const token = await tokens.open(id, (await pending())?.grant.refresh_token ?? '');
  const isRevoked = async () => (await crmB.grants()).find((grant) => grant.token === token)?.revoked;
  const audited = async () => (await stores.audit.page(connection.org_id, { limit: 50 })).items;
  return { id, pending, isRevoked, audited };
}

describe('check-connections', () => {
  it('revokes consents that were not confirmed in their hour, and removes their sealed tokens', async () => {
    const consents = [await aPending('crm-b'), await aPending('help-desk')];
    expect(await check()).toMatchObject({ failed: 0, complete: true });
    for (const { pending, isRevoked } of consents) {
      expect(await pending()).toMatchObject({ grant: { refresh_token: expect.any(String) } });
      expect(await isRevoked()).toBe(false);
    }

    await passTime(2 * HOUR);
    expect(await check()).toMatchObject({ failed: 0, complete: true });
    for (const { id, pending, isRevoked, audited } of consents) {
      // The emulator's own run may end a consent at the same time.
      await eventually(pending, (consent) => consent === undefined);
      expect(await isRevoked()).toBe(true);
      expect(await stores.connections.get(id)).not.toHaveProperty('pending_consent');
      const [newest, ...others] = await audited();
      expect(newest).toMatchObject({
        action: 'connection.consent_expired',
        actor: { kind: 'service', name: 'check-connections' },
        thing: { id },
        after: { revocation: 'revoked' },
      });
      expect(others.map(({ action }) => action)).not.toContain('connection.consent_expired');
    }
  });
});
