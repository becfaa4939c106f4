/** Writes JSON in which the members of each object are sorted by name: equal values have equal texts. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => {
    // A DynamoDB number that exceeds JavaScript's numbers.
    if (typeof member === 'bigint') return String(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
