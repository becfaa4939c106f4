import { type FunctionName, functionNames } from '../../../lib/functions.ts';

/** Loaded before the CDK app; removes the functions of WITHOUT_FUNCTIONS from it, as another version would. */
for (const name of (process.env.WITHOUT_FUNCTIONS ?? '').split(',').filter(Boolean)) {
  const place = functionNames.indexOf(name as FunctionName);
  if (place < 0) throw new Error(`there is no function ${name}`);
  functionNames.splice(place, 1);
}
