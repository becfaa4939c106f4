import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';

type Line = NonNullable<ShownCall['transcript']['lines']>[number];

/** The fields in which CRMs store a lead's name, the short one first. */
const NAME_FIELDS = ['First_Name', 'FirstName', 'Full_Name', 'LastName', 'Last_Name'];

/** The two speakers. */
export function speakerNames({ assistant, lead }: Pick<ShownCall, 'assistant' | 'lead'>): Record<Line['who'], string> {
  const given = NAME_FIELDS.map((field) => lead?.fields[field]?.trim()).find(Boolean);
  return { assistant: assistant.name, person: given ?? 'Person' };
}

/** @returns the index of the line spoken at an instant, or before it; undefined before the first */
export function findLineAt(lines: readonly Line[], seconds: number): number | undefined {
  // A jump to a line may land just before it.
  const last = lines.findLastIndex(({ from }) => from <= seconds + 0.05);
  return last === -1 ? undefined : last;
}

/** "Asha speaks for 38 % of the call." */
export function describeTalkShare(name: string, spoken: readonly Line[], length: number): string {
  const seconds = spoken.reduce((sum, { from, to }) => sum + to - from, 0);
  return `${name} speaks for ${Math.min(100, Math.round((100 * seconds) / length))} % of the call.`;
}
