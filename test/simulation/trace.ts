type Note = { ms: number; by: string; what: () => string };

export type Trace = ReturnType<typeof trace>;

/** Records the steps of a run, for a person who investigates a failure. */
export function trace(now: () => number, isKept: boolean) {
  const notes: Note[] = [];
  return {
    note(by: string, what: () => string): void {
      if (isKept) notes.push({ ms: now(), by, what });
    },
    /** @param about selects notes that contain one of these texts */
    lines(most: number, about: readonly string[] = ['']): string[] {
      const lines = notes.map(({ ms, by, what }) => `${new Date(ms).toISOString().slice(5, 23)}  ${by}: ${what()}`);
      return lines.filter((line) => about.some((text) => line.includes(text))).slice(-most);
    },
  };
}
