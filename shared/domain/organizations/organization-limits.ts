/** The highest value of each limit. The least is 1. */
export const organizationLimits = {
  requests_per_minute: 1_000_000,
  outbound_per_minute: 1_000_000,
  max_live_calls: 10_000,
  max_wait_minutes: 24 * 60,
} as const;
