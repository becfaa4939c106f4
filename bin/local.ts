import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { names } from '../lib/names.ts';
import { bootstrap, type Emulator, isRunning, startEmulator } from '../local/cloud.ts';
import { type CrmBHosts, connectCrmB, createSampleLead, prepareCrmB } from '../local/demo-crm-b.ts';
import { deploy, LOCAL_REGION } from '../local/deploy.ts';
import { listenToEvents } from '../local/events.ts';
import { startFront } from '../local/front.ts';
import { OperatorError } from '../local/operator-error.ts';
import { progress } from '../local/progress.ts';
import { type Demo, placeSampleCall, seed, sendSampleLead } from '../local/seed.ts';
import { startCrmBSimulator } from '../local/simulators/crm-b/server.ts';
import { startModelSimulator } from '../local/simulators/model/server.ts';
import { voiceControl } from '../local/simulators/voice/control.ts';
import { startVoiceSimulator } from '../local/simulators/voice/server.ts';

/**
 * `npm start`: the whole service on this machine, until Ctrl-C. Variables: PORT, EMULATOR_PORT, AWS_ENDPOINT_URL,
 * VOICE_API_URL, VOICE_SLOTS, VOICE_TIMEOUT_MS, CRM_B_ACCOUNTS_URL and CRM_B_API_URL (both or none), CRM_B_TIMEOUT_MS,
 * AWS_ENDPOINT_URL_BEDROCK_RUNTIME (the model's endpoint), MODEL_TIMEOUT_MS, LOCAL_FOLDER (where its files are; .local unless given).
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const settings = process.env;
const folder = resolve(settings.LOCAL_FOLDER ?? join(root, '.local'));
const environmentFile = join(folder, 'environment.json');
const withSamples = !process.argv.includes('--no-seed');

/** Simulated seconds per second: a call of a minute is over in a few seconds. */
const SIMULATED_SPEED = 10;
const STOP_MILLISECONDS = 15_000;
/** Requests to CRM-B that are shown: what comes back to a lead. */
const CALL_LOG_OR_NOTE = /^POST \/crm\/v8\/(Calls|Leads\/\d+\/Notes) /;

const say = (line: string) => console.log(line);
const undo: (() => Promise<unknown>)[] = [];
let stopping: Promise<void> | undefined;
let ownsFolder = false;

function stop(code: number): Promise<void> {
  stopping ??= (async () => {
    const bound = setTimeout(() => process.exit(code), STOP_MILLISECONDS - 1_000);
    if (ownsFolder) await rm(environmentFile, { force: true });
    for (const step of undo.reverse()) await step().catch(() => undefined);
    clearTimeout(bound);
    process.exit(code);
  })();
  return stopping;
}

async function start(): Promise<void> {
  await mkdir(folder, { recursive: true });
  await refuseSecondStart();
  const front = await startFront(readPort('PORT', 8080));
  undo.push(front.stop);
  // From here on this start owns the folder: what stands in it was left by one that was killed.
  ownsFolder = true;
  await rm(environmentFile, { force: true });
  const step = progress(8, say);

  const emulator = await step('The local cloud', () => startCloud());
  const voice = await step('The voice platform (simulator)', () => startVoice(emulator));
  const crmB = await step('CRM-B (simulator)', () => startCrmB(emulator));
  const model = await step('The language model (simulator)', () => startModel());
  const endpoint = emulator?.url ?? (settings.AWS_ENDPOINT_URL as string);
  const deployed = await step('The service, deployed with the CDK', async () => {
    await bootstrap(endpoint);
    const ended = new AbortController();
    undo.push(async () => ended.abort());
    return deploy(endpoint, folder, ended.signal, {
      stage: 'local',
      region: LOCAL_REGION,
      publicUrl: front.url,
      voiceApiUrl: voice.apiUrl,
      crmBAccountsUrl: crmB.accountsUrl,
      crmBApiUrl: crmB.apiUrl,
      ...(settings.CRM_B_TIMEOUT_MS && { crmBTimeoutMs: settings.CRM_B_TIMEOUT_MS }),
      ...(settings.VOICE_SLOTS && { voiceSlots: settings.VOICE_SLOTS }),
      ...(settings.VOICE_TIMEOUT_MS && { voiceTimeoutMs: settings.VOICE_TIMEOUT_MS }),
      modelApiUrl: model.apiUrl,
      ...(settings.MODEL_TIMEOUT_MS && { modelTimeoutMs: settings.MODEL_TIMEOUT_MS }),
    });
  });
  front.target = new URL(`/_aws/execute-api/${deployed.apiId}/$default`, endpoint);

  const client = { endpoint, region: LOCAL_REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const demo = await step('A demo organization', () => seed(client, 'local', crmB.ownerId));
  await step('Everything answers', () => untilAnswering(front.url));
  await step("CRM-B, connected by its user's consent", () => connectDemo(client, front.url, demo, crmB));

  await writeEnvironment({
    base_url: front.url,
    emulator_url: endpoint,
    region: LOCAL_REGION,
    pid: process.pid,
    ...(emulator && { clock_file: emulator.clockFile, emulator_pid: emulator.pid }),
    ...demo,
    simulators: {
      ...(voice.simulatorUrl && { voice: voice.simulatorUrl }),
      ...(crmB.simulatorUrl && { crm_b: crmB.simulatorUrl, crm_b_accounts: crmB.accountsUrl }),
      ...(model.controlUrl && { model: model.controlUrl }),
    },
  });
  undo.push(
    await listenToEvents(client, names('local').bus, ({ type, call_id, at }) => say(`  ${at}  ${call_id}  ${type}`)),
  );
  say(whatToTry(front.url, demo, crmB.simulatorUrl));
  if (withSamples) {
    await placeSampleCall(front.url, demo);
    await sendSampleLead(front.url, demo);
    if (crmB.simulatorUrl) say(`  A lead of CRM-B: ${await createSampleLead(crmB.simulatorUrl, demo)}`);
  }
}

/** Only the simulator consents by itself. The service is of use without CRM-B, so that a failure is told, and no more. */
async function connectDemo(
  client: Parameters<typeof connectCrmB>[0],
  publicUrl: string,
  demo: Demo,
  { simulatorUrl, ...hosts }: CrmB,
): Promise<void> {
  if (!simulatorUrl) return;
  const failure = await connectCrmB(client, 'local', { demo, publicUrl, hosts });
  if (failure) say(`      CRM-B is ${failure}: try connection authorize-url, below.`);
}

/** A file of a running system is another start's: two of them would take each other's emulator apart. */
async function refuseSecondStart(): Promise<void> {
  const text = await readFile(environmentFile, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const { base_url, pid } = readJson(text);
  if (!pid || !base_url || !isRunning(pid)) return;
  // The id may be another program's by now: only who answers runs.
  const answers = await fetch(base_url, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
  if (answers)
    throw new OperatorError(
      `The service runs already at ${base_url}: stop it first, or set LOCAL_FOLDER to another folder.`,
    );
}

function readJson(text: string): { base_url?: string; pid?: number } {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // half of a file, left by a start that was killed
  }
}

async function startCloud(): Promise<Emulator | undefined> {
  if (settings.AWS_ENDPOINT_URL) return undefined;
  const port = settings.EMULATOR_PORT ? readPort('EMULATOR_PORT', 0) : undefined;
  const emulator = await startEmulator({ port, folder: join(folder, 'cloud'), log: say });
  undo.push(emulator.stop);
  void emulator.exited.then(() => {
    if (stopping) return;
    console.error(`The local cloud has ended by itself: look into ${emulator.logFile}, then start again.`);
    void stop(1);
  });
  return emulator;
}

async function startVoice(emulator: Emulator | undefined): Promise<{ apiUrl: string; simulatorUrl?: string }> {
  if (settings.VOICE_API_URL) return { apiUrl: settings.VOICE_API_URL };
  const simulator = await startVoiceSimulator(emulator ? { clockFile: emulator.clockFile } : {});
  undo.push(simulator.stop);
  await voiceControl(simulator.url).settings({ speed: SIMULATED_SPEED });
  return { apiUrl: simulator.url, simulatorUrl: simulator.url };
}

type CrmB = CrmBHosts & { simulatorUrl?: string; ownerId?: string | undefined };

async function startCrmB(emulator: Emulator | undefined): Promise<CrmB> {
  const { CRM_B_ACCOUNTS_URL: accountsUrl, CRM_B_API_URL: apiUrl } = settings;
  if (accountsUrl && apiUrl) return { accountsUrl, apiUrl };
  if (accountsUrl || apiUrl) throw new OperatorError('Set both CRM_B_ACCOUNTS_URL and CRM_B_API_URL, or neither.');
  const simulator = await startCrmBSimulator({
    ...(emulator && { clockFile: emulator.clockFile }),
    log: (line) => CALL_LOG_OR_NOTE.test(line) && say(`  CRM-B: ${line}`),
  });
  undo.push(simulator.stop);
  const ownerId = await prepareCrmB(simulator.url);
  return { accountsUrl: simulator.accountsUrl, apiUrl: simulator.url, simulatorUrl: simulator.url, ownerId };
}

async function startModel(): Promise<{ apiUrl: string; controlUrl?: string }> {
  const { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: apiUrl } = settings;
  if (apiUrl) return { apiUrl };
  const simulator = await startModelSimulator();
  undo.push(simulator.stop);
  return { apiUrl: simulator.url, controlUrl: simulator.controlUrl };
}

/** The first request starts a function's process; until it answers, the service is not ready. */
async function untilAnswering(url: string): Promise<void> {
  const end = performance.now() + 15_000;
  while (performance.now() < end) {
    const answer = await fetch(`${url}/v1/calls/none`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (answer?.status === 401) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new OperatorError(
    `The service was deployed but does not answer: ${join(folder, 'cloud', 'emulator.log')} may say why.`,
  );
}

async function writeEnvironment(environment: object): Promise<void> {
  const draft = `${environmentFile}.new`;
  await writeFile(draft, `${JSON.stringify(environment, undefined, 2)}\n`, { mode: 0o600 });
  await rename(draft, environmentFile);
}

function readPort(name: 'PORT' | 'EMULATOR_PORT', standard: number): number {
  const port = Number(settings[name] ?? standard);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new OperatorError(`${name} must be a port number between 0 and 65535, not "${settings[name]}".`);
}

const whatToTry = (url: string, demo: Demo, crmBUrl: string | undefined) => `
The service runs at ${url} (nothing is kept when it stops; deploying anew takes seconds).

  A phone call:

    curl -s ${url}/v1/calls/outbound \\
      -H 'Authorization: Bearer ${demo.api_key}' -H 'Content-Type: application/json' \\
      -d '{"phone_number": "+919812345678", "assistant_id": "${demo.assistant_id}"}'

  What became of it (with the call_id from the answer):

    curl -s ${url}/v1/calls/CALL_ID -H 'Authorization: Bearer ${demo.api_key}'

  A lead of CRM-A that becomes a call, and what became of each lead:

    npm run simulate:crm-a -- new-lead --phone +919812345679 --first-name Meera
    npm run admin -- connection activity --connection ${demo.connections.crm_a.connection_id}

${crmBUrl ? inTheBrowser(crmBUrl) : ''}  CRM-B connected anew, as a customer does it (open the URL that this prints):

    npm run admin -- connection authorize-url --connection ${demo.connections.crm_b.connection_id}

  The operator's side:

    npm run admin -- call list --org ${demo.org_id}      npm run admin -- --help

Ctrl-C stops everything. What happens from now on:
`;

const inTheBrowser = (
  crmBUrl: string,
) => `  CRM-B in the browser: create a lead (its owner as offered); after its call, the call log and the note are on its page:

    ${crmBUrl}/leads

`;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(0));
try {
  await start();
} catch (error) {
  if (!stopping) {
    console.error(error instanceof OperatorError ? error.message : error);
    await stop(1);
  }
}
