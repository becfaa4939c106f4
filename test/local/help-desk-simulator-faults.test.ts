import type { Fault } from '../../local/simulators/help-desk/faults.ts';
import {
  ask,
  askAs,
  begin,
  control,
  created,
  departmentId,
  end,
  minimal,
  orgId,
  scopes,
  send,
} from './support/help-desk.ts';

const creating = 'POST /api/v1/tickets';
const reading = 'GET /api/v1/tickets/{id}';
const create = (more: Record<string, unknown> = {}, signal?: AbortSignal) =>
  send('POST', '/tickets', { body: minimal(more), ...(signal && { signal }) });
/** Resolves once the simulator has the requests, so that giving up on them is no race. */
const underWay = async (count: number) => {
  while ((await control.mostInFlight()) < count);
};

beforeEach(begin);
afterAll(end);

describe('a fault', () => {
  it.each<[string, Omit<Fault, 'route'>, number, string]>([
    ['429', { kind: 'too-many-requests' }, 429, '"errorCode":"TOO_MANY_REQUESTS"'],
    ['500', { kind: 'server-error' }, 500, '"errorCode":"INTERNAL_SERVER_ERROR"'],
    ['502', { kind: 'server-error', status: 502 }, 502, '"errorCode":"INTERNAL_SERVER_ERROR"'],
    ['503', { kind: 'server-error', status: 503 }, 503, '"errorCode":"INTERNAL_SERVER_ERROR"'],
    ['HTML', { kind: 'html' }, 502, '<html>'],
    ['HTML on a 200', { kind: 'html', status: 200 }, 200, '<html>'],
    ['an invalid token', { kind: 'invalid-token' }, 401, '"errorCode":"INVALID_OAUTH"'],
  ])('answers %s once, and nothing is made', async (_, fault, status, text) => {
    await control.fault({ route: creating, ...fault });
    const answer = await create();
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(text)]);
    expect(await control.listTickets()).toEqual([]);
    expect(await control.listContacts()).toEqual([]);
    expect((await create()).status).toBe(200);
    expect(await control.requests(creating)).toMatchObject([{ fault: fault.kind, answer: status }, { answer: 200 }]);
  });

  it('tells after how many seconds to come back', async () => {
    await control.fault({ route: creating, kind: 'too-many-requests', seconds: 7 });
    expect((await create()).headers.get('retry-after')).toBe('7');
    await control.fault({ route: creating, kind: 'too-many-requests' });
    expect((await create()).headers.get('retry-after')).toBe('1');
  });

  it('drops the connection before the work, or after it: then the ticket is there', async () => {
    await control.fault({ route: creating, kind: 'drop' });
    await control.fault({ route: creating, kind: 'drop-after' });
    await expect(create()).rejects.toThrow();
    expect(await control.listTickets()).toEqual([]);
    await expect(create()).rejects.toThrow();
    expect(await control.listTickets()).toHaveLength(1);
    expect(await control.requests(creating)).toMatchObject([{ answer: 'dropped' }, { answer: 'dropped' }]);
  });

  it('spoils the answer of a ticket that was made: 500, or half of it', async () => {
    await control.fault({ route: creating, kind: 'server-error-after' });
    await control.fault({ route: creating, kind: 'cut-after' });
    expect((await create()).status).toBe(500);
    const half = await create();
    expect(half.status).toBe(200);
    await expect(half.text()).rejects.toThrow();
    expect(await control.listTickets()).toHaveLength(2);
  });

  it.each([
    ['hang', 0],
    ['hang-after', 1],
  ] as const)('by %s never answers, with %i made', async (kind, count) => {
    await control.fault({ route: creating, kind });
    const giveUp = new AbortController();
    const answer = create({}, giveUp.signal);
    await underWay(1);
    giveUp.abort();
    await expect(answer).rejects.toThrow();
    expect(await control.listTickets()).toHaveLength(count);
  });

  it('answers slowly, as usual', async () => {
    await control.settings({ speed: 1000 });
    await control.fault({ route: creating, kind: 'slow', seconds: 60 });
    expect((await create()).status).toBe(200);
  });

  it('waits for one number, one subject or one file', async () => {
    const { id } = await created();
    await control.fault({ route: creating, kind: 'server-error', containing: '+919876500000' });
    await control.fault({ route: creating, kind: 'server-error', containing: 'Burning modem' });
    await control.fault({ route: '*', kind: 'server-error', containing: 'a.wav' });
    await control.fault({ route: '*', kind: 'server-error', containing: '+911111111111' });
    expect((await create()).status).toBe(200);
    expect((await create({ phone: '+919876500000' })).status).toBe(500);
    expect((await create({ subject: 'Burning modem' })).status).toBe(500);
    const form = new FormData();
    form.set('file', new Blob(['x']), 'a.wav');
    expect((await ask('POST', `/tickets/${id}/attachments`, { form })).status).toBe(500);
    expect((await ask('GET', '/search/contacts?searchStr=%2B911111111111')).status).toBe(500);
  });

  it('lets some pass, and befalls as many as told', async () => {
    const { id } = await created();
    await control.fault({ route: reading, kind: 'server-error', skip: 1, times: 2 });
    const seen: number[] = [];
    for (let each = 0; each < 4; each++) seen.push((await ask('GET', `/tickets/${id}`)).status);
    expect(seen).toEqual([200, 500, 500, 200]);
    expect(await control.faults()).toMatchObject([{ befell: 2 }]);
    await control.clearFaults();
    expect(await control.faults()).toEqual([]);
  });

  it('is not used up by a request that the token, the organization or a limit refuses', async () => {
    await control.fault({ route: creating, kind: 'server-error' });
    await control.settings({ concurrency: 0 });
    expect((await create()).status).toBe(429);
    await control.settings({ concurrency: 10 });
    expect((await ask('POST', '/tickets', { headers: { orgId: '1' }, body: {} })).status).toBe(403);
    await askAs(['HB.tickets.READ']);
    expect((await create()).status).toBe(403);
    await askAs(scopes);
    expect((await create()).status).toBe(500);
  });
});

describe('the limits of an organization', () => {
  it('are 10 requests at once: the eleventh gets 429 and the next after one has gone gets through', async () => {
    await control.fault({ route: creating, kind: 'hang', times: 10 });
    const giveUp = Array.from({ length: 10 }, () => new AbortController());
    const hanging = giveUp.map(({ signal }) => create({}, signal).catch(() => undefined));
    await underWay(10);
    const refused = await create();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({ errorCode: 'TOO_MANY_REQUESTS' });
    await control.organization('61');
    expect((await ask('GET', '/departments', { headers: { orgId: '61' } })).status).toBe(200);
    giveUp[0]?.abort();
    let status = 429;
    while (status === 429) status = (await create()).status;
    expect(status).toBe(200);
    for (const each of giveUp) each.abort();
    await Promise.all(hanging);
    expect(await control.mostInFlight(`organization ${orgId}`)).toBe(10);
    expect(await control.mostInFlight(creating)).toBe(10);
    expect(await control.mostInFlight(reading)).toBe(0);
  });

  it('may name no time to come back', async () => {
    await control.settings({ concurrency: 0, retryAfterSeconds: null });
    expect((await create()).headers.has('retry-after')).toBe(false);
  });

  it('are credits for a day, counted down in every answer', async () => {
    await control.settings({ credits: 2 });
    const { headers } = await ask('GET', '/departments');
    expect(headers.get('x-rate-limit-request-weight-v3')).toBe('1');
    expect(headers.get('x-rate-limit-remaining-v3')).toBe('1');
    expect((await ask('GET', '/departments')).headers.get('x-rate-limit-remaining-v3')).toBe('0');
    const refused = await ask('GET', '/departments');
    expect(refused).toMatchObject({ status: 429, json: { errorCode: 'THRESHOLD_EXCEEDED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect((await create()).status).toBe(429);
  });
});

describe('a department that is closed', () => {
  it('takes no tickets', async () => {
    await control.organization('61', { departments: [{ id: departmentId, name: 'Support', isEnabled: false }] });
    const refused = await ask('POST', '/tickets', { headers: { orgId: '61' }, body: minimal() });
    expect(refused.json).toMatchObject({ errors: [{ fieldName: '/departmentId' }] });
    expect((await ask('GET', '/departments?isEnabled=true', { headers: { orgId: '61' } })).status).toBe(204);
  });
});
