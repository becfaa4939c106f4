import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces the SDK's default credential chain in the bundles (lib/bundle.ts). Lambda provides the role's credentials in
 * the environment, and replaces the environment before they expire.
 */
export const defaultProvider = () => fromEnv();

/** Replaces @aws-sdk/token-providers: Bedrock's client would look for a bearer token there. */
const noToken = () => async (): Promise<never> => {
  throw new Error("requests are signed with the role's credentials");
};

export { noToken as fromEnvSigningName, noToken as nodeProvider };
