import type { FunctionName } from '../../../lib/functions.ts';
import { environment, named } from './stack.ts';

type Units = Record<string, number>;

async function unitsOf(name: FunctionName): Promise<Units> {
  const answer = await fetch(`${environment.emulator_url}/_ministack/meter`);
  return ((await answer.json()) as Record<string, Units>)[named.function(name)] ?? {};
}

/**
 * @returns the units that DynamoDB charges for the function's requests during `act`, and the number of these requests
 */
export async function unitsDuring(name: FunctionName, act: () => Promise<unknown>) {
  const before = await unitsOf(name);
  await act();
  const after = await unitsOf(name);
  const since = (unit: string) => (after[unit] ?? 0) - (before[unit] ?? 0);
  return { reads: since('read_units'), writes: since('write_units'), requests: since('dynamodb_requests') };
}
