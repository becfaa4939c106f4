import { type Restored, restoredText } from '../../../lib/names.ts';
import { stageFile } from '../../../lib/stage-file.ts';
import { Refusal } from '../failures.ts';

/** Returns the restored tables that a stage's file names. Its schema is checked at the deployment. */
export function restoredOf(file: Readonly<Record<string, unknown>> | undefined): Restored {
  const restored = file?.restored;
  return typeof restored === 'object' && restored !== null ? (restored as Restored) : {};
}

/**
 * Compares the restored tables of the checkout with those of the stage. If they differ, commands would read and write
 * tables that the stage does not use.
 * @param deployed the output of the stack `data`; undefined if an older version deployed it or it does not exist
 * @returns the difference in a sentence; undefined without one
 */
export function staleness(stage: string, restored: Restored, deployed: string | undefined): string | undefined {
  const here = restoredText(restored);
  if (deployed === undefined || deployed === here) return undefined;
  return `${stageFile(stage)} of this checkout does not name the tables that stage ${stage} uses: "restored" here: ${here}; deployed: ${deployed}.`;
}

/** @throws Refusal stale_checkout */
export function refuseStaleCheckout(stage: string, restored: Restored, deployed: string | undefined): void {
  const difference = staleness(stage, restored, deployed);
  if (difference)
    throw new Refusal(
      'stale_checkout',
      `${difference} Nothing was changed: get the file of the last deployment (git pull), or finish the deployment.`,
    );
}
