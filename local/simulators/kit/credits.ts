const DAY_MS = 86_400_000;

/** The API credits that keys used in rolling 24 hours. */
export class Credits {
  private used: { key: string; at: number; credits: number }[] = [];

  /**
   * Spends credits.
   * @returns the remaining credits; or, if they do not suffice, the milliseconds until the oldest use expires
   */
  spend(key: string, credits: number, limit: number, now: number): { left: number } | { waitMs: number } {
    this.used = this.used.filter(({ at }) => at > now - DAY_MS && at <= now);
    const own = this.used.filter((each) => each.key === key);
    const left = limit - credits - own.reduce((sum, each) => sum + each.credits, 0);
    if (left < 0) return { waitMs: (own[0]?.at ?? now) + DAY_MS - now };
    this.used.push({ key, at: now, credits });
    return { left };
  }
}
