import { GetObjectCommand } from '@aws-sdk/client-s3';
import { functionNames } from '../../../../lib/functions.ts';
import { type SourceMapOfBundle, sourceMapKey, sourceMapsOf, unpackSourceMap } from '../../../../lib/source-maps.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { Refusal } from '../../failures.ts';

/**
 * Finds a bundle's source map: the one stored by the stage's deployment, or the one that this checkout creates.
 * @throws Refusal other_bundle if neither belongs to the bundle
 */
export async function sourceMapOf(bundle: string, cloud: Cloud): Promise<SourceMapOfBundle> {
  const isLocal = cloud.place.stage === 'local';
  const stored = isLocal ? undefined : await storedMap(bundle, cloud).catch((error: Error) => error);
  if (stored !== undefined && !(stored instanceof Error)) return stored;
  const made = await mapOfCheckout(bundle);
  if (made?.file === bundle) return made;
  if (stored instanceof Error) throw stored;
  const checkout = made ? `makes ${made.file}` : 'has no such function';
  const stage = isLocal ? '' : `, and stage ${cloud.place.stage} has no source map of it`;
  throw new Refusal(
    'other_bundle',
    `The stack trace is of the bundle ${bundle}. This checkout ${checkout}${stage}: name the stage that ran it (--stage), or check out its commit.`,
    { bundle, bundle_of_checkout: made?.file ?? null },
  );
}

/** @returns undefined if the stage has no map of this bundle */
async function storedMap(bundle: string, cloud: Cloud): Promise<SourceMapOfBundle | undefined> {
  const Bucket = await cloud.sourceMapsBucket();
  try {
    const { Body } = await cloud.s3().send(new GetObjectCommand({ Bucket, Key: sourceMapKey(bundle) }));
    return Body && unpackSourceMap(await Body.transformToByteArray());
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
    throw error;
  }
}

/** @returns the map of this checkout's bundle of the same program; undefined if it does not have the program */
async function mapOfCheckout(bundle: string): Promise<SourceMapOfBundle | undefined> {
  const [program = ''] = bundle.split('.');
  const name = functionNames.find((each) => program.startsWith(`${each}/`));
  return name && (await sourceMapsOf([name])).find(({ file }) => file.startsWith(`${program}.`));
}
