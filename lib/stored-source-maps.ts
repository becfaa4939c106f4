import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type App, AssetStaging, CfnOutput, FileAssetPackaging, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { bundleFolder, sourceUrl } from './bundle.ts';
import { type FunctionName, functionNames } from './functions.ts';
import { sourceMapKey, writeSourceMaps } from './source-maps.ts';
import type { Stage } from './stage.ts';

/**
 * Stores the functions' source maps during a deployment to AWS, as assets that no template names and no function may
 * read: the assets bucket of `cdk bootstrap` keeps them as `source-maps/FUNCTION/PROGRAM.ID.json.gz` without limit,
 * whichever machine deployed. The local stage needs no maps, because its checkout can create them.
 * @param names of the functions @param folders other than dist/source-maps and dist/functions
 * @throws Error if a package does not contain the bundle of its map
 */
export async function storeSourceMaps(
  app: App,
  stage: Stage,
  names: readonly FunctionName[] = functionNames,
  { maps, packages = bundleFolder('') }: { maps?: string; packages?: string } = {},
): Promise<void> {
  if (stage.name === 'local') return;
  const functions = app.node.findAll().filter((part) => part instanceof LambdaFunction);
  const stackOf = new Map(functions.map((part) => [part.node.id, Stack.of(part)]));
  const buckets = new Map<Stack, string>();
  for (const { bundle, path } of await writeSourceMaps(names, maps)) {
    const name = dirname(bundle);
    const stack = stackOf.get(name);
    if (!stack) throw new Error(`no stack has the function ${name}`);
    assertPackaged(bundle, packages);
    buckets.set(stack, addTo(stack, bundle, path));
  }
  for (const [stack, value] of buckets) new CfnOutput(stack, 'SourceMapsBucket', { value });
}

/** @returns the bucket */
function addTo(stack: Stack, bundle: string, sourcePath: string): string {
  // Copied into the assembly, which may be deployed on another machine.
  const staging = new AssetStaging(stack, `source map of ${bundle.replace(/\..*/, '')}`, { sourcePath });
  const { bucketName } = stack.synthesizer.addFileAsset({
    // Excludes the ending, which derives from the file.
    sourceHash: sourceMapKey(bundle).replace(/\.gz$/, ''),
    fileName: staging.relativeStagedPath(stack),
    packaging: FileAssetPackaging.FILE,
    displayName: `source map of ${bundle}`,
  });
  return bucketName;
}

function assertPackaged(bundle: string, packages: string): void {
  const [program = ''] = bundle.split('.');
  const packaged = readFileSync(join(packages, `${program}.mjs`), 'utf8');
  if (!packaged.endsWith(sourceUrl(bundle)))
    throw new Error(`${program}.mjs is packaged, but is not ${bundle}, which the current inputs produce`);
}
