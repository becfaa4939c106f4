import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type AppProps } from 'aws-cdk-lib';
import { bundleFolder, bundleFunctions } from '../../../lib/bundle.ts';
import { callingService } from '../../../lib/calling-service.ts';
import { functionNames } from '../../../lib/functions.ts';
import { readStage, type Stage } from '../../../lib/stage.ts';

type Json = Record<string, unknown>;

export type Resource = {
  stack: string;
  id: string;
  Type: string;
  // CDK writes the templates, so a wrong assumption about their form fails its test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  Properties: any;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  Condition?: string;
};

export type Synthesized = {
  app: App;
  stackNames: readonly string[];
  /** Whether CloudFormation refuses to delete the stacks. */
  isProtected: readonly boolean[];
  /** By the name of their stack. */
  templates: Record<string, object>;
  resources: Resource[];
  ofType: (type: string) => Resource[];
  /** Finds the resource that a Ref or Fn::GetAtt names in the same stack. */
  named: (from: Resource, reference: unknown) => Resource | undefined;
};

/** Bundles the functions, which the templates need, unless all bundles exist. bundles.test.ts checks their contents. */
export async function haveBundles(): Promise<void> {
  if (!functionNames.every((name) => existsSync(join(bundleFolder(name), 'index.mjs')))) await bundleFunctions();
}

/** The settings of a stage with real data. */
const RETAINED = {
  region: 'us-east-1',
  alarmEmail: 'alarms@example.com',
  publicUrl: 'https://calls.example.com',
  multiRegionKeys: false,
};

/** Reads a stage whose file holds these settings; those of the stage `local` are the context. */
export function aStage(name: string, settings: Json = {}): Stage {
  const context = name === 'local' ? { ...settings, stage: name } : { stage: name };
  return readStage(new App({ context }).node, {}, () => ({ ...RETAINED, ...settings }));
}

/** Options of an app whose templates the CDK does not check, which takes seconds; stacks/templates.test.ts does. */
export const unchecked: AppProps = { builtinCloudFormationValidation: false };

/** Synthesizes the app of bin/calling-service.ts for a stage. Freezes its templates, because test files share them. */
export function synthesize(stageName: string, settings: Json = {}): Synthesized {
  const outdir = mkdtempSync(join(tmpdir(), 'calling-service-'));
  const cdkJson = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8')) as { context: Json };
  const app = new App({ outdir, ...unchecked, context: cdkJson.context });
  // The pages themselves are tested elsewhere.
  const site = mkdtempSync(join(tmpdir(), 'calling-service-site-'));
  writeFileSync(join(site, 'index.html'), '');
  callingService(app, aStage(stageName, settings), site);
  const assembly = app.synth();
  for (const { template } of assembly.stacks) freeze(template);
  const resources = assembly.stacks.flatMap(({ stackName, template }) =>
    Object.entries((template as { Resources?: Record<string, Omit<Resource, 'stack' | 'id'>> }).Resources ?? {}).map(
      ([id, resource]) => ({ stack: stackName, id, ...resource }),
    ),
  );
  for (const folder of [outdir, site]) rmSync(folder, { recursive: true, force: true });
  return {
    app,
    stackNames: assembly.stacks.map(({ stackName }) => stackName),
    isProtected: assembly.stacks.map(({ terminationProtection }) => terminationProtection ?? false),
    templates: Object.fromEntries(assembly.stacks.map(({ stackName, template }) => [stackName, template as object])),
    resources,
    ofType: (type) => resources.filter(({ Type }) => Type === type),
    named: (from, reference) => {
      const id = targetOf(reference);
      return resources.find((resource) => resource.stack === from.stack && resource.id === id);
    },
  };
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(Object.freeze(value))) freeze(part);
}

/** The logical id in a Ref or Fn::GetAtt. */
export function targetOf(reference: unknown): string | undefined {
  const { Ref, 'Fn::GetAtt': getAtt } = (reference ?? {}) as { Ref?: string; 'Fn::GetAtt'?: [string, string] };
  return Ref ?? getAtt?.[0];
}
