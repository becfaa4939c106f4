import type { HeldCall } from '../model.ts';
import type { VoiceState } from '../state.ts';
import { problem } from './problems.ts';

const comparisons: Record<string, (value: number, bound: number) => boolean> = {
  Gt: (value, bound) => value > bound,
  Lt: (value, bound) => value < bound,
  Ge: (value, bound) => value >= bound,
  Le: (value, bound) => value <= bound,
};
const exact = ['id', 'assistantId', 'phoneNumberId'] as const;

/** Answers GET /call, newest first, with the vendor's filters and limit. A script can delay the listing of its call. */
export function listCalls(state: VoiceState, query: URLSearchParams): HeldCall[] {
  const problems: string[] = [];
  let limit = 100;
  const filters: ((held: HeldCall) => boolean)[] = [];
  for (const [key, value] of query) {
    const time = /^(createdAt|updatedAt)(Gt|Lt|Ge|Le)$/.exec(key);
    const field = exact.find((name) => name === key);
    if (time) {
      const bound = Date.parse(value);
      const compare = comparisons[time[2] ?? ''];
      if (Number.isNaN(bound)) problems.push(`${key} must be a Date instance`);
      filters.push(({ call }) => compare?.(Date.parse(call[time[1] as 'createdAt' | 'updatedAt']), bound) ?? false);
    } else if (field) filters.push(({ call }) => call[field] === value);
    else if (key === 'limit') {
      limit = Number(value);
      if (!Number.isInteger(limit)) problems.push('limit must be a number conforming to the specified constraints');
      if (limit < 0) problems.push('limit must not be less than 0');
      if (limit > 1000) problems.push('limit must not be greater than 1000');
    } else problems.push(`property ${key} should not exist`);
  }
  if (problems.length > 0) throw problem(400, problems);
  const now = state.clock();
  return state.calls
    .filter((held) => !held.deleted && now >= held.createdAtMs + 1000 * (held.script.listedAfterSeconds ?? 0))
    .filter((held) => filters.every((matches) => matches(held)))
    .reverse()
    .sort((one, other) => other.createdAtMs - one.createdAtMs)
    .slice(0, limit);
}
