import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crmBControl } from '../../../local/simulators/crm-b/control.ts';
import { startCrmBSimulator } from '../../../local/simulators/crm-b/server.ts';
import { helpDeskControl } from '../../../local/simulators/help-desk/control.ts';
import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import { startHelpDeskSimulator } from '../../../local/simulators/help-desk/server.ts';
import { defaultClient } from '../../../local/simulators/zoho-accounts/model.ts';

export const orgId = defaultOrganization.id;
export const departmentId = defaultOrganization.departments[0]?.id ?? '';
/** The default scopes (docs/help-desk.md, "Scopes"). */
export const scopes = ['HB.basic.READ', 'HB.contacts.READ', 'HB.tickets.ALL', 'HB.settings.READ', 'HB.search.READ'];

type Request = { headers?: Record<string, string>; body?: unknown; form?: FormData; signal?: AbortSignal };

/** Starts the simulators of the help desk and its accounts for one test file, which passes `end` to `afterAll`. */
export async function startHelpDesk() {
  const directory = mkdtempSync(join(tmpdir(), 'help-desk-simulator-'));
  const clockFile = join(directory, 'clock');
  const accounts = await startCrmBSimulator({ clockFile });
  const simulator = await startHelpDeskSimulator({ grants: accounts.accountsUrl, clockFile });
  const moveClock = (seconds: number): void => writeFileSync(clockFile, String(seconds));
  const crmB = crmBControl(accounts.url);
  const control = helpDeskControl(simulator.url);
  let token = '';

  /** Creates a token for all further requests. @param user by default the first one @returns the token */
  async function askAs(granted: string[], user?: string): Promise<string> {
    token = (await crmB.grant({ clientId: defaultClient.id, scopes: granted, ...(user && { user }) })).accessToken;
    return token;
  }

  /** Resets both simulators and their clock, and creates a token with the default scopes. */
  async function begin(): Promise<void> {
    moveClock(0);
    await crmB.reset();
    await control.reset();
    await askAs(scopes);
  }

  async function end(): Promise<void> {
    await simulator.stop();
    await accounts.stop();
    rmSync(directory, { recursive: true });
  }

  /** Sends a request as an adapter does. */
  const send = (method: string, path: string, { headers = {}, body, form, signal }: Request = {}) =>
    fetch(`${simulator.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Zoho-oauthtoken ${token}`,
        orgId,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(form && { body: form }),
      ...(signal && { signal }),
    });

  /** Sends a request and reads the answer. `json` is undefined if the body is empty. */
  async function ask(method: string, path: string, request: Request = {}) {
    const response = await send(method, path, request);
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests state the type that they expect
    const json: any = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, json, headers: response.headers };
  }

  async function created(more: Record<string, unknown> = {}) {
    const { status, json } = await ask('POST', '/tickets', { body: minimal(more) });
    expect(status).toBe(200);
    return json;
  }

  return { simulator, crmB, control, moveClock, askAs, begin, end, send, ask, created };
}

/** The required fields of a ticket. */
export const minimal = (more: Record<string, unknown> = {}) => ({
  departmentId,
  contact: { lastName: 'Iyer', phone: '+919876543210' },
  subject: 'Broken modem',
  ...more,
});

export const wav = (size: number) => Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(size - 4)]);

export function fileForm(name: string, bytes = wav(100), field = 'file'): FormData {
  const form = new FormData();
  form.set(field, new Blob([Uint8Array.from(bytes)]), name);
  return form;
}

/** The errors of a 422 INVALID_DATA. */
export const errorsOf = ({ status, json }: { status: number; json: { errorCode: string; errors: unknown[] } }) => {
  expect({ status, errorCode: json.errorCode }).toEqual({ status: 422, errorCode: 'INVALID_DATA' });
  return json.errors;
};
