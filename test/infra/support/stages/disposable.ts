import { haveBundles, synthesize } from '../synthesize.ts';

await haveBundles();

/** A stage that is deleted with its data, and that limits its costly functions. */
export const disposable = synthesize('try', { isRetained: false, costlyAtOnce: '7' });
