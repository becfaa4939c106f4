import { randomUUID } from 'node:crypto';
import {
  addKnowledge,
  createAssistant,
  deleteAssistant,
  listAssistants,
  removeKnowledge,
  showAssistant,
  showKnowledge,
  updateAssistant,
} from '../../../shared/messages/dashboard/assistants.ts';
import { updateMe } from '../../../shared/messages/dashboard/people.ts';
import { placeTestCall } from '../../../shared/messages/dashboard/test-calls.ts';
import { done } from '../../support/admin/cli.ts';
import { acting, action, aMember, anUpload } from '../../support/dashboard/dashboard.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf } from '../../support/rest/rest.ts';
import { voice } from '../../support/stack/stack.ts';

const actionsOf = async (orgId: string) =>
  (await stores.audit.page(orgId, { limit: 50 })).items.map(({ action, actor }) => [action, actor.kind]);

describe('list-assistants, create-assistant, show-assistant, update-assistant and delete-assistant', () => {
  it('store an assistant like the command line, and tell a late editor who changed which field', async () => {
    const org = await anOrg();
    const admin = await aMember(org, 'admin');
    const asAdmin = await acting(admin);
    const creation = { body: { name: 'Neha', language: 'hi' }, headers: action() };
    const made = await asAdmin(createAssistant, creation);
    expect([made.status, made.body.revision]).toEqual([201, 1]);
    expect(await asAdmin(createAssistant, creation)).toMatchObject({ status: 201, body: made.body });
    const ids = { id: String(made.body.assistant_id) };

    await done('assistant', 'update', '--assistant', ids.id, '--prompt', 'By the operator.');
    const late = await asAdmin(updateAssistant, { body: { revision: 1, prompt: 'Mine.' } }, ids);
    expect(late).toMatchObject({ status: 409, body: { error: 'changed_meanwhile', fields: [{ path: 'prompt' }] } });
    const saved = await asAdmin(updateAssistant, { body: { revision: 2, prompt: 'Mine.', language: null } }, ids);
    expect(saved).toMatchObject({ status: 200, body: { revision: 3, language: null, updated_by: admin.email } });
    const premium = { revision: 3, transfer_number: '+19005551234' };
    const refused = await asAdmin(updateAssistant, { body: premium }, ids);
    expect(refused).toMatchObject({ status: 403, body: { error: 'destination_not_allowed' } });
    expect(await done('assistant', 'show', '--assistant', ids.id)).toMatchObject({ prompt: 'Mine.', language: null });

    const { items } = listAssistants.answer.parse((await asAdmin(listAssistants)).body);
    expect(items.map(({ name }) => name)).toEqual(['Asha', 'Neha']);
    const connected = await done('connection', 'create', '--org', org.orgId, '--type', 'crm-a', '--assistant', ids.id);
    const shown = showAssistant.answer.parse((await asAdmin(showAssistant, {}, ids)).body);
    expect(shown.connections).toEqual([{ connection_id: connected.connection_id, type: 'crm-a' }]);
    expect(await asAdmin(deleteAssistant, {}, ids)).toMatchObject({ status: 409, body: { error: 'assistant_in_use' } });
    await done('connection', 'update', '--connection', String(connected.connection_id), '--assistant', 'none');
    expect((await asAdmin(addKnowledge, await anUpload(), ids)).status).toBe(201);
    expect((await asAdmin(deleteAssistant, {}, ids)).status).toBe(204);
    expect((await asAdmin(showAssistant, {}, ids)).status).toBe(404);
    expect((await actionsOf(org.orgId)).filter(([action]) => action?.startsWith('assistant.'))).toEqual([
      ['assistant.deleted', 'member'],
      ['assistant.knowledge_added', 'member'],
      ['assistant.updated', 'member'],
      ['assistant.updated', 'operator'],
      ['assistant.created', 'member'],
    ]);
  });

  it('accept a prompt of 100,000 characters in an Indian script, and name the fields that they refuse', async () => {
    const asMember = await acting(await aMember(await anOrg(), 'member'));
    const body = { name: 'Long', prompt: 'न'.repeat(100_000) };
    const made = await asMember(createAssistant, { body, headers: action() });
    expect(made.status).toBe(201);
    const wrong = {
      name: ' ',
      transfer_number: '080',
      analysis_schema: { type: 'object', properties: { a: { $ref: '#' } } },
    };
    const refused = await asMember(createAssistant, { body: wrong, headers: action() });
    expect([refused.status, refused.body.fields]).toEqual([
      400,
      [
        { path: 'name', message: 'must have 1 to 200 characters' },
        { path: 'transfer_number', message: 'must be a phone number with its country code, such as +918012345678' },
        { path: 'analysis_schema', message: 'properties.a: $ref is not supported' },
      ],
    ]);
    const premium = await asMember(createAssistant, {
      body: { name: 'Asha', transfer_number: '+19005551234' },
      headers: action(),
    });
    expect([premium.status, premium.body]).toMatchObject([
      403,
      { error: 'destination_not_allowed', fields: [{ path: 'transfer_number', message: expect.any(String) }] },
    ]);
  });
});

describe('add-knowledge, show-knowledge and remove-knowledge', () => {
  it('read a file as uploads by REST do, show its text, and remove it with its text', async () => {
    const org = await anOrg();
    const asMember = await acting(await aMember(org, 'member'));
    const key = randomUUID();
    const add = async (filename: string, text?: string) =>
      asMember(addKnowledge, await anUpload(key, filename, text), { id: org.assistantId });
    expect(await add('prices.exe', 'x')).toMatchObject({ status: 400, body: { error: 'unsupported_file_type' } });
    expect(await add('broken.pdf', 'x')).toMatchObject({ status: 400, body: { error: 'unreadable_file' } });
    // A quote is escaped on its way.
    const added = await add('12" prices.txt');
    expect(added).toMatchObject({ status: 201, body: { items: [{ filename: '12" prices.txt' }] } });
    expect(await add('12" prices.txt')).toMatchObject({ status: 201, body: added.body });

    const ids = { id: org.assistantId, entryId: addKnowledge.answer.parse(added.body).items[0]?.id ?? '' };
    const shown = await asMember(showKnowledge, {}, ids);
    expect(shown.body).toEqual({ filename: '12" prices.txt', text: 'Parking costs ₹ 2,000.', is_cut: false });
    expect((await asMember(removeKnowledge, {}, ids)).status).toBe(204);
    expect((await asMember(removeKnowledge, {}, ids)).status).toBe(404);
    expect((await asMember(showKnowledge, {}, ids)).body.error).toBe('entry_not_found');
    expect((await actionsOf(org.orgId)).slice(0, 2)).toEqual([
      ['assistant.knowledge_removed', 'member'],
      ['assistant.knowledge_added', 'member'],
    ]);
  });
});

describe('place-test-call', () => {
  it("rings the person's own phone with the values of the variables, once for each key", async () => {
    const org = await anOrg({ assistant: { first_message: 'Namaste {{name}}.' } });
    const asMember = await acting(await aMember(org, 'member'));
    const headers = action();
    const body = { assistant_id: org.assistantId, variables: { name: 'Meera' } };
    expect((await asMember(placeTestCall, { body })).status).toBe(400);
    expect(await asMember(placeTestCall, { body, headers })).toMatchObject({
      status: 409,
      body: { error: 'no_phone' },
    });

    const phone = aPhoneNumber();
    await asMember(updateMe, { body: { phone } });
    const placed = await asMember(placeTestCall, { body, headers });
    expect(placed).toMatchObject({ status: 202, body: { phone_number: phone, held: 10 } });
    expect((await asMember(placeTestCall, { body, headers })).body).toEqual(placed.body);
    await endOf(org, String(placed.body.call_id));
    const dialed = await voice.calls(phone);
    expect(dialed.map(({ request }) => request)).toMatchObject([{ assistant: { firstMessage: 'Namaste Meera.' } }]);
  });
});
