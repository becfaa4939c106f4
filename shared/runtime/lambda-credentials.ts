import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands in the bundles for the SDK's default credential chain (lib/bundle.ts): Lambda puts the role's credentials into the
 * environment, and starts a new one before they expire.
 */
export const defaultProvider = () => fromEnv();
