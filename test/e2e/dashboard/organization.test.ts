import { newToken } from '../../../shared/domain/ids.ts';
import { auditEntryOf } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import {
  revealCallbackSecret,
  rotateCallbackSecret,
  showOrganization,
  updateOrganization,
} from '../../../shared/messages/dashboard/organization.ts';
import { done } from '../../support/admin/cli.ts';
import { acting, aMember } from '../../support/dashboard/dashboard.ts';
import { anOrg, OPERATOR, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, postCall } from '../../support/rest/rest.ts';
import { now } from '../../support/stack/stack.ts';

describe('show-organization and update-organization', () => {
  it('show and change the settings, which apply to the next request and to the command line', async () => {
    const org = await anOrg();
    const asAdmin = await acting(await aMember(org, 'admin'));
    const { revision, limits } = showOrganization.answer.parse((await asAdmin(showOrganization)).body);
    expect(limits).toMatchObject({ outbound_per_minute: 100_000, max_live_calls: null });
    const body = {
      revision,
      name: 'Acme',
      platform_numbers: ['080 1234 5678'],
      warn_below: 12.5,
      outbound_per_minute: 1,
      max_live_calls: 50,
    };
    const changed = await asAdmin(updateOrganization, { body });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Acme', platform_numbers: ['+918012345678'], warn_below: 12.5, revision: Number(revision) + 1 },
    });
    // At most one minute boundary can fall between two of them.
    const statuses = [];
    for (let n = 0; n < 3; n += 1)
      statuses.push((await postCall(org, { assistant_id: org.assistantId, phone_number: aPhoneNumber() })).status);
    expect(statuses[0]).toBe(202);
    expect(statuses).toContain(429);

    expect(await asAdmin(updateOrganization, { body })).toMatchObject({
      status: 409,
      body: { error: 'changed_meanwhile', message: expect.stringContaining('@example.com') },
    });
    const raised = { revision: Number(revision) + 1, outbound_per_minute: 5, platform_numbers: ['x'] };
    expect(await asAdmin(updateOrganization, { body: raised })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', fields: [{ path: 'platform_numbers.0' }, { path: 'outbound_per_minute' }] },
    });
    await done('org', 'update', '--org', org.orgId, '--outbound-per-minute', '60');
    expect((await asAdmin(showOrganization)).body).toMatchObject({
      limits: { outbound_per_minute: 60, max_live_calls: 50 },
    });
    const { items } = await stores.audit.page(org.orgId, { limit: 10 });
    const changes = items.filter(({ action }) => action === 'org.updated');
    expect(changes.map(({ actor }) => actor)).toEqual([
      expect.objectContaining({ kind: 'operator', arn: expect.stringMatching(/^arn:aws:/) }),
      expect.objectContaining({ kind: 'member' }),
    ]);
  });

  it('chain their entries in the audit log, even beside 20 concurrent ones', async () => {
    const org = await anOrg();
    const asAdmin = await acting(await aMember(org, 'admin'));
    const { revision } = showOrganization.answer.parse((await asAdmin(showOrganization)).body);
    await asAdmin(updateOrganization, { body: { revision, name: 'Acme' } });
    const change = {
      org_id: org.orgId,
      actor: OPERATOR,
      action: 'org.updated',
      thing: { id: 'x', name: 'x' },
    } as const;
    const entries = Array.from({ length: 20 }, () => auditEntryOf(change, now(), newToken()));
    const earlier = await stores.audit.page(org.orgId, { limit: 100 });
    await Promise.all(entries.map((entry) => stores.transact({ audit: stores.audit.adding(entry) })));
    expect(await done('audit', 'verify', '--org', org.orgId)).toEqual({
      chained: earlier.items.length + 20,
      unchained: 0,
      head: expect.stringMatching(/^\d+:[0-9a-f]{64}$/),
    });
  });
});

describe('reveal-callback-secret and rotate-callback-secret', () => {
  it('show the secret that signs, and replace it', async () => {
    const org = await anOrg();
    const asAdmin = await acting(await aMember(org, 'admin'));
    const secretOf = async () => revealCallbackSecret.answer.parse((await asAdmin(revealCallbackSecret)).body).secret;
    const before = await secretOf();
    expect(await done('org', 'callback-secret', '--org', org.orgId)).toEqual({ secret: before });
    const rotated = rotateCallbackSecret.answer.parse((await asAdmin(rotateCallbackSecret)).body);
    expect(await secretOf()).toBe(rotated.secret);
    expect((await asAdmin(showOrganization)).body).toMatchObject({
      callback_secret: { hint: rotated.secret.slice(-4), former_until: rotated.former_until },
    });
  });
});
