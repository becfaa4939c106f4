import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import { fileForm, startHelpDesk, wav } from '../support/help-desk.ts';

const { ask, begin, control, created, end, simulator } = await startHelpDesk();

const page = async (path: string) => (await fetch(`${simulator.url}${path}`)).text();
const post = (path: string, fields: Record<string, string>) =>
  fetch(`${simulator.url}${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
const hostile = '<script>alert("1")</script>';

beforeEach(begin);
afterAll(end);

describe('the pages for people', () => {
  it('list all tickets or those of a contact, newest first', async () => {
    expect(await page('/tickets')).toContain('None yet.');
    const first = await created({ subject: 'Broken modem' });
    await created({ subject: 'No bill', contact: { lastName: 'Rao' } });
    const all = await page('/tickets');
    expect(all.indexOf('No bill')).toBeGreaterThan(0);
    expect(all.indexOf('No bill')).toBeLessThan(all.indexOf('Broken modem'));
    expect(all).toContain(`<a href="/tickets/${first.id}">#101 Broken modem</a>`);
    expect(await page(`/tickets?contactId=${first.contactId}`)).not.toContain('No bill');
  });

  it('show a ticket and its parts at its webUrl', async () => {
    const { id, webUrl, createdTime } = await created({ description: 'No light.', phone: '+919876543210' });
    const comment = { content: 'Caller: hello', isPublic: false, contentType: 'plainText' };
    await ask('POST', `/tickets/${id}/comments`, { body: comment });
    await ask('POST', `/tickets/${id}/associateTag`, { body: { tags: ['voice call'] } });
    const { json } = await ask('POST', `/tickets/${id}/attachments`, { form: fileForm('call.wav') });
    const html = await (await fetch(webUrl)).text();
    for (const text of ['No light.', '+919876543210', 'Iyer', 'Internal', 'Caller: hello', 'voice call', createdTime])
      expect(html).toContain(text);
    const indian = new Date(createdTime).toLocaleTimeString('en-GB', { timeZone: 'Asia/Kolkata' });
    expect(html).toContain(`${indian} IST`);
    const address = `/tickets/${id}/attachments/${json.id}`;
    expect(html).toContain(`<audio controls preload="none" src="${address}">`);
    const sound = await fetch(`${simulator.url}${address}`);
    expect(sound.headers.get('content-type')).toBe('audio/wav');
    expect(Buffer.from(await sound.arrayBuffer())).toEqual(wav(100));
  });

  it('escape all texts, and only play audio in the browser', async () => {
    const fields = { subject: hostile, description: hostile, phone: hostile, contact: { lastName: hostile } };
    const { id } = await created(fields);
    await ask('POST', `/tickets/${id}/comments`, { body: { content: hostile } });
    const { json } = await ask('POST', `/tickets/${id}/attachments`, { form: fileForm('<script>.html') });
    for (const path of ['/tickets', `/tickets/${id}`]) {
      const html = await page(path);
      expect(html).not.toContain('<script>');
      expect(html).toContain('&lt;script&gt;');
    }
    const file = await fetch(`${simulator.url}/tickets/${id}/attachments/${json.id}`);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment;/);
    await file.arrayBuffer();
  });

  it('change a ticket as an agent does', async () => {
    const { id } = await created({ priority: 'High' });
    const [agent] = defaultOrganization.agents;
    const saved = await post(`/tickets/${id}`, { status: 'Closed', priority: '', assigneeId: agent?.id ?? '' });
    expect([saved.status, saved.headers.get('location')]).toEqual([303, `/tickets/${id}`]);
    const { json } = await ask('GET', `/tickets/${id}`);
    expect(json).toMatchObject({ status: 'Closed', priority: null, assigneeId: agent?.id });
    expect(json.closedTime).toBe(json.modifiedTime);
    expect(await page(`/tickets/${id}`)).toContain('<option value="Closed" selected>');
    expect((await post(`/tickets/${id}`, { status: 'Started' })).status).toBe(400);
    expect((await control.ticket(id))?.status).toBe('Closed');
  });

  it('are 404 for unknown tickets and files', async () => {
    const { id } = await created();
    for (const path of ['/tickets/1', `/tickets/${id}/attachments/1`, `/tickets/${id}/other`])
      expect((await fetch(`${simulator.url}${path}`)).status).toBe(404);
  });
});
