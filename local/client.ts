import { randomBytes } from 'node:crypto';

/** The key of the local cloud's root user. Its id is the secret: the emulator does not verify its signatures. */
export type RootKey = { accessKeyId: string; secretAccessKey: string };

/** The settings of an AWS client for the local cloud. */
export type LocalClient = {
  endpoint: string;
  region: string;
  credentials: RootKey;
};

/** Creates a key that web pages and other programs cannot guess. */
export const newRootKey = (): RootKey => ({
  accessKeyId: `LOCAL${randomBytes(16).toString('hex').toUpperCase()}`,
  secretAccessKey: randomBytes(20).toString('hex'),
});

/** Returns the key for another LocalStack-compatible cloud: the environment's, or else the default of such clouds. */
export const rootKeyOf = ({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }: NodeJS.ProcessEnv): RootKey => ({
  accessKeyId: AWS_ACCESS_KEY_ID || 'test',
  secretAccessKey: AWS_SECRET_ACCESS_KEY || 'test',
});
