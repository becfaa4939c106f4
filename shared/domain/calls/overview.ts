import type { Call } from './call.ts';
import { sourceOf } from './call-source.ts';

/** The parts of the overview, each of which may be unreadable by itself. */
export const overviewParts = ['usage', 'credit', 'connections', 'leads', 'now', 'calls', 'steps'] as const;
export type OverviewPart = (typeof overviewParts)[number];

/** What a new organization does first, each as a fact. */
export type FirstSteps = { assistant: boolean; tried: boolean; source: boolean; call: boolean; callback: boolean };

type Known = Pick<Call, 'status' | 'callback_status' | 'lead' | 'tested_by'>;

/** An organization with so many calls needs no introduction. */
const WELL_UNDER_WAY = 20;

/** Whether the first steps are still to be shown, by the newest calls. */
export const isNew = (calls: readonly unknown[]): boolean => calls.length < WELL_UNDER_WAY;

const isAnswered = ({ status }: Known): boolean => status === 'completed' || status === 'transferred';

/** Returns which of the first steps are done. A call that a member tries counts as such, not as a first call. */
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
