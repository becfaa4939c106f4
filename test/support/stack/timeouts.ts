/**
 * Settings of the suites' stages (docs/settings.md). Tests provoke time-outs: short enough to end soon, long enough for
 * a busy machine.
 */
export const timeouts = {
  VOICE_TIMEOUT_MS: '5000',
  ZOHO_ACCOUNTS_TIMEOUT_MS: '5000',
  CRM_B_TIMEOUT_MS: '5000',
  HELP_DESK_TIMEOUT_MS: '5000',
  // Longer than the others, because the client's retries after throttling wait for seconds.
  MODEL_TIMEOUT_MS: '6000',
} as const;
