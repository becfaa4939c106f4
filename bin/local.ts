import { mkdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { names } from '../lib/names.ts';
import { type Addresses, deployAssembly } from '../local/assembly.ts';
import { type LocalClient, rootKeyOf } from '../local/client.ts';
import { bootstrap, type Emulator, startEmulator } from '../local/cloud.ts';
import { giveDemoConsents } from '../local/demo/consent.ts';
import { createSampleLead } from '../local/demo/crm-b.ts';
import { placeSampleCall, scriptSampleCalls, sendSampleLead } from '../local/demo/samples.ts';
import { seed } from '../local/demo/seed.ts';
import { whatToTry } from '../local/demo/what-to-try.ts';
import { deploy, deployed, LOCAL_REGION } from '../local/deploy.ts';
import { type BusEvent, listenToEvents } from '../local/events.ts';
import { startFront } from '../local/front.ts';
import { LOCAL_SENDER, verifySender, writeMailsTo } from '../local/mail.ts';
import { OperatorError } from '../local/operator-error.ts';
import { progress } from '../local/progress.ts';
import { startCrmB, startHelpDesk, startModel, startVoice } from '../local/remote-systems.ts';
import { sleep } from '../shared/runtime/clock.ts';
import { environmentFile } from './local/environment-file.ts';
import { contextOf, readPort } from './local/settings.ts';
import { shutdown } from './local/shutdown.ts';

/** `npm start`: runs the whole service on this machine until Ctrl-C. docs/settings.md lists its variables. */
const root = fileURLToPath(new URL('..', import.meta.url));
const variables = process.env;
const folder = resolve(variables.LOCAL_FOLDER ?? join(root, '.local'));
/** A folder that several starts share. */
const shared = variables.LOCAL_SHARED;
const file = environmentFile(folder);
const withSamples = !process.argv.includes('--no-seed');
const showsEvents = !process.argv.includes('--quiet');

const STEPS = 9;
/** Ctrl-C ends everything within 15 seconds. */
const STOP_MILLISECONDS = 14_000;
const ending = shutdown(STOP_MILLISECONDS);
const say = (line: string) => console.log(line);

async function start(): Promise<void> {
  await mkdir(folder, { recursive: true });
  await file.refuseSecondStart();
  const front = await startFront(readPort(variables, 'PORT', 8080));
  ending.add(front.stop);
  // A file that still exists is left over from a killed start, because the port was free.
  await file.remove();
  const step = progress(STEPS, say);

  const emulator = await step('The local cloud', () => startCloud(front.url));
  const starting = { settings: variables, clockFile: emulator?.clockFile, say, onStop: ending.add };
  const voice = await step('The voice platform (simulator)', () => startVoice(starting));
  const crmB = await step('CRM-B (simulator)', () => startCrmB(starting));
  const helpDesk = await step('The help desk (simulator)', () => startHelpDesk(starting, crmB.accountsUrl));
  const model = await step('The language model (simulator)', () => startModel(starting));
  const endpoint = emulator?.url ?? (variables.AWS_ENDPOINT_URL as string);
  const client = { endpoint, region: LOCAL_REGION, credentials: emulator?.credentials ?? rootKeyOf(variables) };
  const { apiId, distribution, userPoolId } = await step('The service, deployed with the CDK', () =>
    deployService(client, {
      publicUrl: front.url,
      dashboardUrl: front.url,
      filesOrigin: endpoint,
      ...(emulator && { mailFrom: LOCAL_SENDER }),
      voiceApiUrl: voice.apiUrl,
      zohoAccountsUrl: crmB.accountsUrl,
      crmBApiUrl: crmB.apiUrl,
      helpDeskApiUrl: helpDesk.apiUrl,
      modelApiUrl: model.apiUrl,
    }),
  );
  front.targets = {
    api: new URL(`/_aws/execute-api/${apiId}/$default`, endpoint),
    site: { url: new URL(endpoint), host: distribution },
  };

  const hasHelpDesk = helpDesk.simulatorUrl !== undefined;
  const demo = await step('A demo organization', () =>
    seed(client, 'local', { crmBOwnerId: crmB.ownerId, hasHelpDesk, userPoolId }),
  );
  await step('Everything answers', () => untilAnswering(front.url));
  await step('Consents to CRM-B and the help desk', async () => {
    // A failure is only reported, because the service works without these connections.
    for (const failure of await giveDemoConsents(client, 'local', { publicUrl: front.url, demo, hosts: crmB }))
      say(`      ${failure}: try connection authorize-url, below.`);
  });

  if (showsEvents) {
    const show = ({ type, call_id, at }: BusEvent) => say(`  ${at}  ${call_id}  ${type}`);
    ending.add(await listenToEvents(client, names('local').bus, show));
  }
  if (emulator) {
    await verifySender(client);
    ending.add(
      await writeMailsTo(
        endpoint,
        join(folder, 'mail'),
        ({ to, subject, file: path }) => say(`  An e-mail to ${to}: ${subject}  ${relative(process.cwd(), path)}`),
        (reason) => say(`  E-mails cannot be shown at the moment: ${reason}`),
      ),
    );
  }
  // Added last, so that a stop removes the file first.
  ending.add(file.remove);
  await file.write({
    base_url: front.url,
    dashboard_url: front.url,
    emulator_url: endpoint,
    region: LOCAL_REGION,
    credentials: client.credentials,
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
  say(whatToTry(front.url, demo, { crmBUrl: crmB.simulatorUrl, helpDeskUrl: helpDesk.simulatorUrl }));
  if (withSamples) {
    if (voice.simulatorUrl) await scriptSampleCalls(voice.simulatorUrl);
    await placeSampleCall(front.url, demo);
    await sendSampleLead(front.url, demo);
    if (crmB.simulatorUrl) say(`  A lead of CRM-B: ${await createSampleLead(crmB.simulatorUrl, demo)}`);
  }
}

/** @returns undefined if AWS_ENDPOINT_URL names another cloud. */
async function startCloud(frontUrl: string): Promise<Emulator | undefined> {
  if (variables.AWS_ENDPOINT_URL) return undefined;
  const port = variables.EMULATOR_PORT ? readPort(variables, 'EMULATOR_PORT', 0) : undefined;
  const emulator = await startEmulator({
    port,
    folder: join(folder, 'cloud'),
    origins: [frontUrl],
    shared,
    hasIdleWorkers: variables.IDLE_WORKERS === '1',
    workersAtOnce: variables.WORKERS_AT_ONCE ? Number(variables.WORKERS_AT_ONCE) : undefined,
    log: say,
  });
  ending.add(emulator.stop);
  void emulator.exited.then(() => {
    if (ending.isStopping()) return;
    console.error(`The local cloud ended unexpectedly: read ${emulator.logFile}, then start again.`);
    void ending.stop(1);
  });
  return emulator;
}

async function deployService(client: LocalClient, { mailFrom, ...addresses }: Addresses & { mailFrom?: string }) {
  await bootstrap(client);
  const aborting = new AbortController();
  ending.add(async () => aborting.abort());
  if (variables.LOCAL_ASSEMBLY)
    return deployed(await deployAssembly(client, variables.LOCAL_ASSEMBLY, addresses, aborting.signal));
  const context = {
    ...{ stage: 'local', region: LOCAL_REGION, ...(mailFrom && { mailFrom }) },
    ...{ ...addresses, ...contextOf(variables) },
  };
  return deploy(client, folder, aborting.signal, context, { shared });
}

/** Waits until a function's process answers, 15 seconds at most. */
async function untilAnswering(url: string): Promise<void> {
  const end = performance.now() + 15_000;
  while (performance.now() < end) {
    const answer = await fetch(`${url}/v1/calls/none`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (answer?.status === 401) return;
    await sleep(200);
  }
  throw new OperatorError(
    `The service was deployed but does not answer: ${join(folder, 'cloud', 'emulator.log')} may say why.`,
  );
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void ending.stop(0));
try {
  await start();
} catch (error) {
  if (!ending.isStopping()) {
    console.error(error instanceof OperatorError ? error.message : error);
    await ending.stop(1);
  }
}
