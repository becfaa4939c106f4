import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { App, DefaultStackSynthesizer } from 'aws-cdk-lib';
import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { names, type Restored } from '../../../lib/names.ts';
import { DataStack } from '../../../lib/stacks/data.ts';
import type { TableName } from '../../../lib/tables.ts';
import { aStage, unchecked } from '../../infra/support/synthesize.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { deployByChangeSet } from './change-sets.ts';
import { TestCloud } from './test-cloud.ts';

export const STAGE = 'prod';

/** The tables that are restored together. */
export const bound = [
  ...(['calls', 'claims', 'organizations', 'credit-ledger', 'usage', 'slots', 'activity', 'callbacks'] as const),
] satisfies TableName[];

export type RestorableStage = Awaited<ReturnType<typeof startRestorableStage>>;

/** A cloud with the tables of a retained stage, as soon as its stack is deployed. */
export async function startRestorableStage() {
  const cloud = await TestCloud.startAsDefault();
  const db = DynamoDBDocumentClient.from(cloud.dynamodb, { marshallOptions: { removeUndefinedValues: true } });
  return {
    cloud,
    db,
    stop: () => cloud.stop(),

    /** Deploys the stack `data` as with `--import-existing-resources`. @returns the actions of its changes */
    async deploy(restored: Restored, type: 'CREATE' | 'UPDATE'): Promise<string[]> {
      const app = new App(unchecked);
      // The emulator has no bootstrap stack.
      const synthesizer = new DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
      const stackName = names(STAGE).stack('data');
      new DataStack(app, 'data', { stage: aStage(STAGE, { restored }), stackName, synthesizer });
      const { template } = app.synth().getStackArtifact('data');
      const how = { type, isImporting: true };
      const { status, changes } = await deployByChangeSet(cloud.cloudFormation, stackName, template, how);
      expect(status).toBe(`${type}_COMPLETE`);
      return changes;
    },

    /** The operators' program on the stage whose settings name these restored tables. */
    async admin(restored: Restored, ...args: string[]) {
      const opened = openCloud({ stage: STAGE }, process.env, () => ({ region: 'us-east-1', restored }));
      const { code, stdout, stderr } = await runCollected([...args, '--json'], { cloud: opened });
      return { code, stderr, answer: stdout === '' ? {} : JSON.parse(stdout) };
    },

    put: (table: string, Item: object) => db.send(new PutCommand({ TableName: table, Item })),
    get: async (table: string, Key: object) => (await db.send(new GetCommand({ TableName: table, Key }))).Item,
  };
}
