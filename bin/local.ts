import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { names } from '../lib/names.ts';
import { bootstrap, type Emulator, isRunning, startEmulator } from '../local/cloud.ts';
import { giveDemoConsents } from '../local/demo/consent.ts';
import { scriptSampleCalls } from '../local/demo/conversations.ts';
import { createSampleLead } from '../local/demo/crm-b.ts';
import { placeSampleCall, sendSampleLead } from '../local/demo/samples.ts';
import { seed } from '../local/demo/seed.ts';
import { whatToTry } from '../local/demo/what-to-try.ts';
import { deploy, LOCAL_REGION } from '../local/deploy.ts';
import { listenToEvents } from '../local/events.ts';
import { startFront } from '../local/front.ts';
import { OperatorError } from '../local/operator-error.ts';
import { progress } from '../local/progress.ts';
import { startCrmB, startHelpDesk, startModel, startVoice } from '../local/remote-systems.ts';

/**
 * `npm start`: the whole service on this machine, until Ctrl-C. Variables: PORT, EMULATOR_PORT, AWS_ENDPOINT_URL,
 * VOICE_API_URL, VOICE_SLOTS, VOICE_TIMEOUT_MS, ZOHO_ACCOUNTS_URL and CRM_B_API_URL (both or none),
 * ZOHO_ACCOUNTS_TIMEOUT_MS, CRM_B_TIMEOUT_MS, HELP_DESK_API_URL, HELP_DESK_TIMEOUT_MS,
 * AWS_ENDPOINT_URL_BEDROCK_RUNTIME (the model's endpoint), MODEL_TIMEOUT_MS, LOCAL_FOLDER (where its files are; .local unless given).
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const settings = process.env;
const folder = resolve(settings.LOCAL_FOLDER ?? join(root, '.local'));
const environmentFile = join(folder, 'environment.json');
const withSamples = !process.argv.includes('--no-seed');

const STOP_MILLISECONDS = 15_000;

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
  const step = progress(9, say);

  const emulator = await step('The local cloud', () => startCloud());
  const starting = {
    settings,
    clockFile: emulator?.clockFile,
    say,
    onStop: (end: () => Promise<unknown>) => undo.push(end),
  };
  const voice = await step('The voice platform (simulator)', () => startVoice(starting));
  const crmB = await step('CRM-B (simulator)', () => startCrmB(starting));
  const helpDesk = await step('The help desk (simulator)', () => startHelpDesk(starting, crmB.accountsUrl));
  const model = await step('The language model (simulator)', () => startModel(starting));
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
      zohoAccountsUrl: crmB.accountsUrl,
      crmBApiUrl: crmB.apiUrl,
      helpDeskApiUrl: helpDesk.apiUrl,
      ...(settings.ZOHO_ACCOUNTS_TIMEOUT_MS && { zohoAccountsTimeoutMs: settings.ZOHO_ACCOUNTS_TIMEOUT_MS }),
      ...(settings.CRM_B_TIMEOUT_MS && { crmBTimeoutMs: settings.CRM_B_TIMEOUT_MS }),
      ...(settings.HELP_DESK_TIMEOUT_MS && { helpDeskTimeoutMs: settings.HELP_DESK_TIMEOUT_MS }),
      ...(settings.VOICE_SLOTS && { voiceSlots: settings.VOICE_SLOTS }),
      ...(settings.VOICE_TIMEOUT_MS && { voiceTimeoutMs: settings.VOICE_TIMEOUT_MS }),
      modelApiUrl: model.apiUrl,
      ...(settings.MODEL_TIMEOUT_MS && { modelTimeoutMs: settings.MODEL_TIMEOUT_MS }),
    });
  });
  front.target = new URL(`/_aws/execute-api/${deployed.apiId}/$default`, endpoint);

  const client = { endpoint, region: LOCAL_REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  const hasHelpDesk = helpDesk.simulatorUrl !== undefined;
  const demo = await step('A demo organization', () =>
    seed(client, 'local', { crmBOwnerId: crmB.ownerId, hasHelpDesk }),
  );
  await step('Everything answers', () => untilAnswering(front.url));
  await step('CRM-B and the help desk, by a consent', async () => {
    // The service is of use without them, so that a failure is told, and no more.
    for (const failure of await giveDemoConsents(client, 'local', { publicUrl: front.url, demo, hosts: crmB }))
      say(`      ${failure}: try connection authorize-url, below.`);
  });

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
      ...(helpDesk.simulatorUrl && { help_desk: helpDesk.simulatorUrl }),
      ...(model.simulatorUrl && { model: model.simulatorUrl }),
    },
  });
  undo.push(
    await listenToEvents(client, names('local').bus, ({ type, call_id, at }) => say(`  ${at}  ${call_id}  ${type}`)),
  );
  say(whatToTry(front.url, demo, { crmBUrl: crmB.simulatorUrl, helpDeskUrl: helpDesk.simulatorUrl }));
  if (withSamples) {
    if (voice.simulatorUrl) await scriptSampleCalls(voice.simulatorUrl);
    await placeSampleCall(front.url, demo);
    await sendSampleLead(front.url, demo);
    if (crmB.simulatorUrl) say(`  A lead of CRM-B: ${await createSampleLead(crmB.simulatorUrl, demo)}`);
  }
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

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(0));
try {
  await start();
} catch (error) {
  if (!stopping) {
    console.error(error instanceof OperatorError ? error.message : error);
    await stop(1);
  }
}
