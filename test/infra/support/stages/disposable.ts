import { haveBundles, synthesize } from '../synthesize.ts';

await haveBundles();

/** A stage that is deleted with its data. */
export const disposable = synthesize('try', { isRetained: false });
