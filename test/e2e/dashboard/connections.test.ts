import { randomUUID } from 'node:crypto';
import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import { isWebhookToken } from '../../../shared/domain/connections/deliveries/webhook-token.ts';
import {
  beginConsent,
  type ConnectionView,
  confirmConsent,
  createConnection,
  disconnectConnection,
  listChoices,
  listConnections,
  refuseConsent,
  replaceToken,
  sendTestEvent,
  showConnection,
  updateConnection,
} from '../../../shared/messages/dashboard/connections.ts';
import {
  aGrantedConnection,
  CRM_B_OWNER,
  callBack,
  connectsOften,
  consentTo,
} from '../../support/connections/crm-b.ts';
import { aHelpDeskConnection } from '../../support/connections/help-desk.ts';
import { acting, aMember } from '../../support/dashboard/dashboard.ts';
import { deliver, leadBody, OWNER } from '../../support/leads/leads.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { crmB, eventually } from '../../support/stack/stack.ts';

type Ask = Awaited<ReturnType<typeof acting>>;

async function anAdmin() {
  const org = await anOrg();
  return { org, asAdmin: await acting(await aMember(org, 'admin')) };
}

const created = async (asAdmin: Ask, type: ConnectionView['type']) =>
  createConnection.answer.parse((await asAdmin(createConnection, { body: { type } })).body);
const shown = async (asAdmin: Ask, id: string, query = '') =>
  showConnection.answer.parse((await asAdmin(showConnection, { query }, { id })).body);
const stored = (id: string) => stores.connections.get(id);

describe('list-connections, create-connection, show-connection, update-connection, replace-token, disconnect-connection, send-test-event', () => {
  it('connect CRM-A with a token that is shown once, and show its first lead and a test event with their outcomes', async () => {
    const { org, asAdmin } = await anAdmin();
    const { connection, token } = await created(asAdmin, 'crm-a');
    const id = connection.connection_id;
    expect(connection).toMatchObject({ revision: 1, is_connected: true, next_step: 'assistant' });
    expect(isWebhookToken(token ?? '', (await stored(id))?.token_hash)).toBe(true);
    expect((await asAdmin(createConnection, { body: { type: 'crm-a' } })).body).toMatchObject({
      error: 'connection_exists',
    });

    const edit = { revision: 1, assistant_id: org.assistantId, trigger_owner_user_id: OWNER };
    const updated = updateConnection.answer.parse((await asAdmin(updateConnection, { body: edit }, { id })).body);
    expect(updated.connection).toMatchObject({ revision: 2, next_step: 'delivery' });
    expect((await asAdmin(updateConnection, { body: { ...edit, auto_call: false } }, { id })).body).toMatchObject({
      error: 'changed_meanwhile',
    });

    expect(
      (
        await deliver(
          { connection: { ...(await stored(id)) } as never, token: token ?? '' },
          leadBody({ OwnerId: 'x' }),
        )
      ).status,
    ).toBe(200);
    const first = await eventually(
      () => shown(asAdmin, id),
      ({ events }) => events.length > 0,
    );
    expect(first).toMatchObject({
      connection: { health: { status: 'healthy' }, next_step: null },
      events: [{ outcome: 'owner_mismatch', owner_id: 'x', test: false }],
    });
    const sent = await asAdmin(
      sendTestEvent,
      { body: { phone: aPhoneNumber(), owner: 'somebody else' }, headers: { 'idempotency-key': randomUUID() } },
      { id },
    );
    const { event_id } = sendTestEvent.answer.parse(sent.body);
    const { event } = await eventually(
      () => shown(asAdmin, id, `?event_id=${event_id}`),
      (answer) => answer.event !== null,
    );
    expect(event).toMatchObject({ event_id, outcome: 'owner_mismatch', test: true });

    const replaced = replaceToken.answer.parse((await asAdmin(replaceToken, {}, { id })).body);
    expect(isWebhookToken(token ?? '', (await stored(id))?.token_hash)).toBe(false);
    const ended = disconnectConnection.answer.parse((await asAdmin(disconnectConnection, {}, { id })).body);
    expect(ended).toMatchObject({ provider: null, connection: { next_step: 'token', assistant_id: org.assistantId } });
    expect(await stored(id)).not.toHaveProperty('token_hash');

    const entries = (await stores.audit.page(org.orgId, { limit: 50 })).items;
    expect(entries.map(({ action }) => action).filter((action) => action.startsWith('connection.'))).toEqual([
      'connection.disconnected',
      'connection.token_replaced',
      'connection.test_event_sent',
      'connection.updated',
      'connection.created',
    ]);
    for (const secret of [token, replaced.token]) expect(JSON.stringify(entries)).not.toContain(secret);
  });
});

describe('begin-consent, confirm-consent, refuse-consent and list-choices', () => {
  it('connect CRM-B and the help desk by a consent, list their choices, and end the consent', async () => {
    await crmB.settings(connectsOften);
    const { asAdmin } = await anAdmin();
    const connected = async (type: 'crm-b' | 'help-desk') => {
      const { connection, token } = await created(asAdmin, type);
      expect([token, connection.next_step]).toEqual([null, 'consent']);
      const id = connection.connection_id;
      expect(await asAdmin(beginConsent, { body: { data_center: 'jp' } }, { id })).toMatchObject({
        status: 409,
        body: { error: 'client_not_set' },
      });
      const begun = await asAdmin(beginConsent, { body: { data_center: 'in' } }, { id });
      expect((await callBack(await consentTo(beginConsent.answer.parse(begun.body).url))).result).toEqual({
        pending: id,
      });
      const cookie = begun.headers.getSetCookie()[0] ?? '';
      expect(cookie).toMatch(
        new RegExp(`^dashboard_consent=[\\w-]{43}; Path=/api/dashboard/connections/${id}; .*HttpOnly`),
      );
      const { connection: waiting } = await shown(asAdmin, id);
      expect(waiting).toMatchObject({ is_connected: false, pending_consent: { user: { email: 'asha@example.com' } } });
      const body = {
        consent_id: waiting.pending_consent?.id,
        organization_id: waiting.pending_consent?.organizations?.[0]?.id,
      };
      expect(await asAdmin(confirmConsent, { body }, { id })).toMatchObject({ status: 403 });
      const headers = { cookie: cookie.split(';')[0] ?? '' };
      expect((await asAdmin(confirmConsent, { body, headers }, { id })).body).toMatchObject({
        connection: { is_connected: true, pending_consent: null },
        channel: type === 'crm-b' ? 'armed' : 'none',
      });
      // Another consent of the same organization is refused, without a change.
      const again = await asAdmin(beginConsent, { body: { data_center: 'in' } }, { id });
      await callBack(await consentTo(beginConsent.answer.parse(again.body).url));
      const refused = { consent_id: (await shown(asAdmin, id)).connection.pending_consent?.id };
      expect((await asAdmin(refuseConsent, { body: refused }, { id })).body).toMatchObject({
        connection: { is_connected: true, pending_consent: null },
        is_revoked: true,
      });
      return id;
    };
    const choicesOf = async (id: string) => listChoices.answer.parse((await asAdmin(listChoices, {}, { id })).body);
    const [crmBId, helpDeskId] = [await connected('crm-b'), await connected('help-desk')];
    const ofCrmB = await choicesOf(crmBId);
    expect(ofCrmB).toMatchObject({
      owners: expect.arrayContaining([{ id: CRM_B_OWNER, name: expect.any(String) }]),
      lead_fields: expect.arrayContaining([
        { name: 'Lead_Status', label: 'Lead Status', values: expect.arrayContaining(['RNR']) },
      ]),
      failure: null,
    });
    expect(await choicesOf(helpDeskId)).toMatchObject({
      departments: expect.arrayContaining([{ id: '189200000000006907', name: 'Support' }]),
      failure: null,
    });

    const settings = { departmentId: '189200000000006907', orgId: '1' };
    const wrong = await asAdmin(updateConnection, { body: { revision: 1, settings } }, { id: helpDeskId });
    expect(wrong).toMatchObject({ status: 400, body: { fields: [{ path: 'settings.orgId' }] } });
    const right = { revision: 1, settings: { ...settings, orgId: defaultOrganization.id } };
    expect((await asAdmin(updateConnection, { body: right }, { id: helpDeskId })).body).toMatchObject({
      connection: { health: { status: 'healthy' }, next_step: null, revision: 2 },
    });

    const before = (await stored(crmBId))?.token_hash;
    expect(await asAdmin(replaceToken, {}, { id: crmBId })).toMatchObject({ status: 200, body: { token: null } });
    expect((await stored(crmBId))?.token_hash).not.toBe(before);
    expect((await asAdmin(disconnectConnection, {}, { id: crmBId })).body).toMatchObject({
      provider: { channel: 'stopped', grant: 'revoked' },
      connection: { is_connected: false, next_step: 'consent' },
    });
    expect((await asAdmin(disconnectConnection, {}, { id: helpDeskId })).body).toMatchObject({
      provider: { channel: 'none', grant: 'revoked' },
    });
    const { items } = listConnections.answer.parse((await asAdmin(listConnections)).body);
    expect(items.map(({ type, is_connected }) => [type, is_connected]).sort()).toEqual([
      ['crm-b', false],
      ['help-desk', false],
    ]);
  });

  it('list the choices after the access token has expired, too', async () => {
    const { org, asAdmin } = await anAdmin();
    const choicesOf = async (id: string) => listChoices.answer.parse((await asAdmin(listChoices, {}, { id })).body);
    const { connectionId } = await aGrantedConnection(org, { endsInSeconds: -1 });
    const helpDesk = await aHelpDeskConnection(org, {}, { endsInSeconds: -1 });
    expect(await choicesOf(connectionId)).toMatchObject({ owners: expect.any(Array), failure: null });
    expect(await choicesOf(helpDesk.connection_id)).toMatchObject({ departments: expect.any(Array), failure: null });
  });
});
