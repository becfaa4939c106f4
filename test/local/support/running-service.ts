import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { names, type Restored } from '../../../lib/names.ts';
import type { LocalClient } from '../../../local/client.ts';
import type { Demo } from '../../../local/demo/model.ts';
import { newLead } from '../../../local/simulators/crm-a/payloads.ts';
import { crmASender } from '../../../local/simulators/crm-a/sender.ts';
import { voiceControl } from '../../../local/simulators/voice/control.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { untilNoError } from '../../support/runner/until-no-error.ts';
import { deployByChangeSet } from './change-sets.ts';
import { Deployer, synthesizeVersion } from './versions.ts';

/** The content of a service's environment file. */
type Environment = Demo & {
  base_url: string;
  emulator_url: string;
  region: string;
  credentials: LocalClient['credentials'];
  simulators: Record<'voice' | 'crm_b' | 'crm_b_accounts' | 'help_desk', string>;
};

export type RunningService = Awaited<ReturnType<typeof runningService>>;

/**
 * A running service, as its clients, CRM-A and its operators reach it. It must be deployed with its own addresses.
 * @param environmentFile of the service, with the content `environment`
 */
export async function runningService(environment: Environment, environmentFile: string) {
  const { base_url, emulator_url: endpoint, region, credentials, simulators } = environment;
  const client = { endpoint, region, credentials };
  const deployer = new Deployer(client);
  const cloudFormation = new CloudFormationClient(client);
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(client));
  const voice = voiceControl(simulators.voice);
  const headers = { authorization: `Bearer ${environment.api_key}`, 'content-type': 'application/json' };
  const readCall = async (id: string) => (await fetch(`${base_url}/v1/calls/${id}`, { headers })).json();

  const { Environment } = await new LambdaClient(client).send(
    new GetFunctionConfigurationCommand({ FunctionName: names('local').function('analyze-call') }),
  );
  /** The context of its deployment (bin/local.ts). */
  const context = {
    region,
    publicUrl: base_url,
    dashboardUrl: base_url,
    filesOrigin: endpoint,
    voiceApiUrl: simulators.voice,
    zohoAccountsUrl: simulators.crm_b_accounts,
    crmBApiUrl: simulators.crm_b,
    helpDeskApiUrl: simulators.help_desk,
    modelApiUrl: Environment?.Variables?.AWS_ENDPOINT_URL_BEDROCK_RUNTIME,
  };

  /** Deploys the stack with the tables, which then outlast it. @returns its template */
  async function deployData(template: string): Promise<string> {
    const data = retained(JSON.parse(template));
    const how = { type: 'UPDATE', isImporting: true } as const;
    const { status } = await deployByChangeSet(cloudFormation, names('local').stack('data'), data, how);
    expect(status).toBe('UPDATE_COMPLETE');
    return JSON.stringify(data);
  }

  return {
    deployer,
    readCall,

    /** Places a call by REST. @param key its idempotency key */
    async placeCall(phone_number: string, key?: string): Promise<string> {
      const body = JSON.stringify({ phone_number, assistant_id: environment.assistant_id, idempotency_key: key });
      const answer = await fetch(`${base_url}/v1/calls/outbound`, { method: 'POST', headers, body });
      expect(answer.status).toBe(202);
      return ((await answer.json()) as { call_id: string }).call_id;
    },

    /** Requests an analysis. @returns the status of the answer */
    analyze: async (id: string): Promise<number> =>
      (await fetch(`${base_url}/v1/calls/${id}/analyze`, { method: 'POST', headers, body: '{}' })).status,

    untilCompleted: (id: string) =>
      untilNoError(async () => expect(await readCall(id)).toMatchObject({ status: 'completed' })),

    /** Delivers a lead of CRM-A. */
    async deliver(number: number, phone: string): Promise<void> {
      const { connection_id, token, owner_id: owner } = environment.connections.crm_a;
      const sender = crmASender({ url: `${base_url}/api/webhooks/crm-a/${connection_id}`, token });
      expect((await sender.post(newLead({ number, phone, owner, at: new Date() }))).status).toBe(200);
    },

    /** How often the phone has rung. */
    rings: async (phone: string): Promise<number> => (await voice.allRings()).byNumber[phone] ?? 0,

    /** Waits until no call is live, and no change, message or invocation is under way. */
    async untilIdle(): Promise<void> {
      await voice.untilIdle();
      await untilNoError(async () => {
        const counts = (await (await fetch(`${endpoint}/_ministack/under-way`)).json()) as Record<string, number>;
        expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual([]);
      });
    },

    /**
     * Runs a command of the operators' program, as on a stage with lasting data whose settings name these restored
     * tables.
     */
    async admin(restored: Restored, ...args: string[]) {
      const stored = () => ({ region, restored, isRetained: true });
      const cloud = openCloud({}, { CALLING_SERVICE_ENVIRONMENT: environmentFile }, stored);
      const { code, stdout, stderr } = await runCollected([...args, '--json'], { cloud });
      expect([args[1], code, stderr]).toEqual([args[1], 0, '']);
      return JSON.parse(stdout);
    },

    /** Makes the deployed tables outlast their stack, as on a stage with lasting data. */
    keepTables: async (): Promise<void> => void (await deployData((await deployer.deployed()).data)),

    /** Deploys the service on these tables, as with `--import-existing-resources`. */
    async deployOn(restored: Restored): Promise<void> {
      const version = await synthesizeVersion({ ...context, restored }, []);
      const data = await deployData(version.data);
      await deployer.deploy({ ...version, data });
    },

    /** Reads a call from the table of a service with these restored tables. */
    stored: async (restored: Restored, call_id: string) =>
      (await db.send(new GetCommand({ TableName: names('local', restored).table('calls'), Key: { call_id } }))).Item,
  };
}

type Template = { Resources: Record<string, { Type: string }> };

/** Keeps tables that leave their stack, as on a stage with lasting data. */
function retained({ Resources, ...rest }: Template): Template {
  const policies = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };
  const resources = Object.entries(Resources).map(([id, resource]) =>
    resource.Type === 'AWS::DynamoDB::GlobalTable' ? [id, { ...resource, ...policies }] : [id, resource],
  );
  return { ...rest, Resources: Object.fromEntries(resources) };
}
