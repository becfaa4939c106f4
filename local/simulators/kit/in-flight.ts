/** Counts open requests by keys of the caller's choice, and each key's maximum. */
export class InFlight {
  private readonly counts = new Map<string, number>();
  readonly most = new Map<string, number>();

  now(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** Counts a request under each key. @returns a function that ends the request; call it once */
  enter(keys: string[]): () => void {
    for (const key of keys) {
      const now = this.now(key) + 1;
      this.counts.set(key, now);
      this.most.set(key, Math.max(now, this.most.get(key) ?? 0));
    }
    return () => {
      for (const key of keys) this.counts.set(key, this.now(key) - 1);
    };
  }
}
