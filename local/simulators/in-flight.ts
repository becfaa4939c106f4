/** Requests that are under way, by keys of the caller's choice, and the most there ever were of each. */
export class InFlight {
  private readonly under = new Map<string, number>();
  readonly most = new Map<string, number>();

  now(key: string): number {
    return this.under.get(key) ?? 0;
  }

  /** Counts one in under each key. @returns what counts it out again; call it once. */
  enter(keys: string[]): () => void {
    for (const key of keys) {
      const now = this.now(key) + 1;
      this.under.set(key, now);
      this.most.set(key, Math.max(now, this.most.get(key) ?? 0));
    }
    return () => {
      for (const key of keys) this.under.set(key, this.now(key) - 1);
    };
  }
}
