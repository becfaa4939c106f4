/**
 * Stands in the bundles for the SDK's sources of bearer tokens (lib/bundle.ts), which Amazon Bedrock takes besides
 * signatures: a function has its role's credentials, and nothing else.
 */
const none = (): never => {
  throw new Error('there are no bearer tokens in Lambda');
};

export const fromEnvSigningName = () => none;
export const nodeProvider = () => none;
