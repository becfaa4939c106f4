import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands in the bundles for the SDK's default credential chain (lib/bundle.ts): Lambda puts the role's credentials into the
 * environment, and starts a new one before they expire.
 */
export const defaultProvider = () => fromEnv();

/** For @aws-sdk/token-providers, where Bedrock's client would look for a token in place of a signature. */
const noToken = () => async (): Promise<never> => {
  throw new Error("requests are signed with the role's credentials");
};

export { noToken as fromEnvSigningName, noToken as nodeProvider };
