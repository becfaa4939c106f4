import type { Call } from '../calls/call.ts';
import { sourceOf } from '../calls/call-source.ts';
import type { Shown } from '../newer-values.ts';

/** The parts of the overview, each of which may fail to be read independently. */
export const overviewParts = ['usage', 'credit', 'connections', 'leads', 'now', 'calls', 'steps'] as const;
export type OverviewPart = (typeof overviewParts)[number];

/** A new organization's first steps, and whether each is done. */
export type FirstSteps = { assistant: boolean; tried: boolean; source: boolean; call: boolean; callback: boolean };

type Known = Pick<Shown<Call>, 'status' | 'callback_status' | 'lead' | 'tested_by'>;

/** An organization with this many calls needs no introduction. */
const ESTABLISHED_CALLS = 20;

/** Returns whether to show the first steps, judged by the newest calls. */
export const isNew = (calls: readonly unknown[]): boolean => calls.length < ESTABLISHED_CALLS;

const isAnswered = ({ status }: Known): boolean => status === 'completed' || status === 'transferred';

/** Returns the completed first steps. A member's test call counts as a test, not as a first call. */
export function firstSteps(
  calls: readonly Known[],
  { hasAssistant, hasSource }: { hasAssistant: boolean; hasSource: boolean },
): FirstSteps {
  const answered = calls.filter(isAnswered);
  return {
    assistant: hasAssistant,
    tried: answered.length > 0,
    source: hasSource,
    call: answered.some((call) => sourceOf(call) !== 'dashboard'),
    callback: calls.some(({ callback_status }) => callback_status === 'delivered'),
  };
}
