import * as z from 'zod';

/** The vendor's data centers, as the callback's `location` names them (Zoho Accounts, "Multi-DC support"). */
const locations = ['us', 'eu', 'in', 'au', 'jp', 'ca', 'sa', 'cn', 'uk'] as const;

const seconds = z.number().min(0);
const count = z.int().min(0);

/**
 * The defaults are the vendor's documented values. Where its documents contradict each other, a setting selects a form.
 */
export const accountsSettingsSchema = z.strictObject({
  /** Simulated seconds per real second, for delayed answers. */
  speed: z.number().positive(),
  /** Whether the consent page is shown, or the consent is granted or denied without it. */
  consent: z.enum(['page', 'grant', 'deny']),
  /** The user who consents without a page; the first by default. */
  consentUser: z.string().nullable(),
  location: z.enum(locations),
  /** The addresses in callbacks and tokens; the simulators' own by default. */
  accountsServer: z.string().nullable(),
  apiDomain: z.string().nullable(),
  codeSeconds: seconds,
  /** `ignored` simulates a data center without PKCE. */
  pkce: z.enum(['checked', 'ignored']),
  accessTokenSeconds: seconds,
  /** Codes per client within 10 minutes. */
  codesPerTenMinutes: count,
  /** Access tokens per refresh token: within 10 minutes, and active at once. */
  accessTokensPerTenMinutes: count,
  activeAccessTokens: count,
  /** Refresh tokens per user and client: within 10 minutes, and in total. */
  refreshTokensPerTenMinutes: count,
  refreshTokens: count,
  /** HTTP status of `{"error": …}` and of the throttle's "Access Denied". Both were observed. */
  oauthErrorStatus: z.union([z.literal(200), z.literal(400)]),
  throttleStatus: z.union([z.literal(200), z.literal(400)]),
});

export type AccountsSettings = z.infer<typeof accountsSettingsSchema>;

export const defaultAccountsSettings: AccountsSettings = {
  speed: 1,
  consent: 'page',
  consentUser: null,
  location: 'in',
  accountsServer: null,
  apiDomain: null,
  codeSeconds: 120,
  pkce: 'checked',
  accessTokenSeconds: 3600,
  codesPerTenMinutes: 10,
  accessTokensPerTenMinutes: 10,
  activeAccessTokens: 15,
  refreshTokensPerTenMinutes: 10,
  refreshTokens: 20,
  oauthErrorStatus: 200,
  throttleStatus: 400,
};
