import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crmBControl } from '../../../local/simulators/crm-b/control.ts';
import { startCrmBSimulator } from '../../../local/simulators/crm-b/server.ts';
import { defaultClient } from '../../../local/simulators/zoho-accounts/model.ts';

type Request = { body?: unknown; accessToken?: string; signal?: AbortSignal };

export async function answerOf(response: Response) {
  const text = await response.text();
  return { status: response.status, body: text === '' ? '' : JSON.parse(text) };
}

/** Starts a simulator for one test file, which passes `end` to `afterAll`. */
export async function startCrmB() {
  const directory = mkdtempSync(join(tmpdir(), 'crm-b-simulator-'));
  const clockFile = join(directory, 'clock');
  const simulator = await startCrmBSimulator({ clockFile });
  const control = crmBControl(simulator.url);
  const moveClock = (seconds: number): void => writeFileSync(clockFile, String(seconds));
  let token = '';

  const tokenWith = async (...scopes: string[]): Promise<string> =>
    (await control.grant({ clientId: defaultClient.id, scopes })).accessToken;

  /** Creates a token with all rights for all further requests. @returns the token */
  async function signIn(): Promise<string> {
    token = await tokenWith(
      'ZohoCRM.modules.ALL',
      'ZohoCRM.coql.READ',
      'ZohoCRM.users.READ',
      'ZohoCRM.org.READ',
      'ZohoCRM.settings.fields.READ',
      'ZohoCRM.notifications.ALL',
    );
    return token;
  }

  /** Resets the simulator and its clock, and signs in. @returns the token */
  async function begin(): Promise<string> {
    moveClock(0);
    await control.reset();
    return signIn();
  }

  async function end(): Promise<void> {
    await simulator.stop();
    rmSync(directory, { recursive: true });
  }

  /** Sends a request as an adapter does. */
  const send = (method: string, path: string, { body, accessToken = token, signal }: Request = {}) =>
    fetch(`${simulator.url}/crm/v8${path}`, {
      method,
      headers: { authorization: `Zoho-oauthtoken ${accessToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });

  /** Sends a request and reads the answer; an empty body is ''. */
  const ask = async (method: string, path: string, request: Request = {}) =>
    answerOf(await send(method, path, request));

  return { simulator, control, moveClock, tokenWith, signIn, begin, end, send, ask };
}
