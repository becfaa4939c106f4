import type { GrantHosts } from './demo/consent.ts';
import { prepareCrmB } from './demo/crm-b.ts';
import { OperatorError } from './operator-error.ts';
import { startCrmBSimulator } from './simulators/crm-b/server.ts';
import { helpDeskControl } from './simulators/help-desk/control.ts';
import { startHelpDeskSimulator } from './simulators/help-desk/server.ts';
import { startModelSimulator } from './simulators/model/server.ts';
import { voiceControl } from './simulators/voice/control.ts';
import { startVoiceSimulator } from './simulators/voice/server.ts';

/** Simulated seconds per real second: a call of a minute takes a few seconds. */
const SIMULATED_SPEED = 10;
/** The requests to CRM-B that the terminal shows. */
const CALL_LOG_OR_NOTE = /^POST \/crm\/v8\/(Calls|Leads\/\d+\/Notes) /;
/** The requests to the help desk that the terminal shows. */
const TICKET = /^POST \/api\/v1\/tickets[ /]/;
const TICKET_CREATED = /^POST \/api\/v1\/tickets -> 2/;

export type Starting = {
  /** The variables that can replace a simulator with another system. */
  settings: NodeJS.ProcessEnv;
  clockFile: string | undefined;
  say: (line: string) => void;
  /** Registers a function that stops the simulator. */
  onStop: (stop: () => Promise<unknown>) => void;
};

/** A remote system; `simulatorUrl` is the address of its control routes if it is a simulator. */
export type RemoteSystem = { apiUrl: string; simulatorUrl?: string };

export async function startVoice({ settings, clockFile, onStop }: Starting): Promise<RemoteSystem> {
  if (settings.VOICE_API_URL) return { apiUrl: settings.VOICE_API_URL };
  const simulator = await startVoiceSimulator(clockFile ? { clockFile } : {});
  onStop(simulator.stop);
  await voiceControl(simulator.url).settings({ speed: SIMULATED_SPEED });
  return { apiUrl: simulator.url, simulatorUrl: simulator.url };
}

export type CrmB = RemoteSystem & GrantHosts & { ownerId?: string | undefined };

/** @throws OperatorError if only one of its two addresses is given. */
export async function startCrmB({ settings, clockFile, say, onStop }: Starting): Promise<CrmB> {
  // CRM_B_ACCOUNTS_URL is the variable's former name; scripts of operators still set it.
  const accountsUrl = settings.ZOHO_ACCOUNTS_URL ?? settings.CRM_B_ACCOUNTS_URL;
  const { CRM_B_API_URL: apiUrl } = settings;
  if (accountsUrl && apiUrl) return { accountsUrl, apiUrl };
  if (accountsUrl || apiUrl) throw new OperatorError('Set both ZOHO_ACCOUNTS_URL and CRM_B_API_URL, or neither.');
  const simulator = await startCrmBSimulator({
    ...(clockFile && { clockFile }),
    log: (line) => CALL_LOG_OR_NOTE.test(line) && say(`  CRM-B: ${line}`),
  });
  onStop(simulator.stop);
  const ownerId = await prepareCrmB(simulator.url);
  return { accountsUrl: simulator.accountsUrl, apiUrl: simulator.url, simulatorUrl: simulator.url, ownerId };
}

export async function startModel({ settings, onStop }: Starting): Promise<RemoteSystem> {
  const { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: apiUrl } = settings;
  if (apiUrl) return { apiUrl };
  const simulator = await startModelSimulator();
  onStop(simulator.stop);
  return { apiUrl: simulator.url, simulatorUrl: simulator.controlUrl };
}

/**
 * @param accountsUrl of CRM-B's accounts server, which also issues the help desk's tokens
 * @throws OperatorError if HELP_DESK_API_URL is not an origin
 */
export async function startHelpDesk(
  { settings, clockFile, say, onStop }: Starting,
  accountsUrl: string,
): Promise<RemoteSystem> {
  const given = settings.HELP_DESK_API_URL;
  if (given) return { apiUrl: originOf('HELP_DESK_API_URL', given) };
  const shown = new Set<string>();
  const simulator = await startHelpDeskSimulator({
    grants: accountsUrl,
    ...(clockFile && { clockFile }),
    log: (line) => {
      if (TICKET.test(line)) say(`  Help desk: ${line}`);
      if (TICKET_CREATED.test(line))
        showTickets(simulator.url, shown, say).catch(() => say('  A ticket, which could not be read.'));
    },
  });
  onStop(simulator.stop);
  return { apiUrl: simulator.url, simulatorUrl: simulator.url };
}

async function showTickets(url: string, shown: Set<string>, say: Starting['say']): Promise<void> {
  for (const { id } of await helpDeskControl(url).listTickets()) {
    if (!shown.has(id)) say(`  A ticket: ${url}/tickets/${id}`);
    shown.add(id);
  }
}

function originOf(name: string, given: string): string {
  if (URL.canParse(given)) {
    const { origin, protocol, pathname, search, hash } = new URL(given);
    if (/^https?:$/.test(protocol) && pathname === '/' && `${search}${hash}` === '') return origin;
  }
  throw new OperatorError(`${name} must be an origin without a path, such as http://127.0.0.1:9000, not "${given}".`);
}
