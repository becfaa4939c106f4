import { loadConfig } from '../../../../shared/runtime/lambda/lambda-settings.ts';

const NAME = 'AWS_SETTING_OF_THE_TEST';
const setting = <Standard>(standard: Standard) => ({
  environmentVariableSelector: (environment: NodeJS.ProcessEnv) => environment[NAME],
  default: standard as string,
});

afterEach(() => {
  delete process.env[NAME];
});

describe('a setting of an AWS client', () => {
  it('is read from the environment', async () => {
    process.env[NAME] = 'standard';
    await expect(loadConfig(setting('legacy'))()).resolves.toBe('standard');
  });

  it('has its default if the environment does not contain it', async () => {
    await expect(loadConfig(setting('legacy'))()).resolves.toBe('legacy');
    await expect(loadConfig({ ...setting(''), default: async () => 'adaptive' })()).resolves.toBe('adaptive');
  });

  it('is false or 0 if the environment says so', async () => {
    const zero = { environmentVariableSelector: () => 0, default: 1 };
    await expect(loadConfig(zero)()).resolves.toBe(0);
  });

  it('is read once', async () => {
    process.env[NAME] = 'first';
    const read = loadConfig(setting('legacy'));
    await read();
    process.env[NAME] = 'second';
    await expect(read()).resolves.toBe('first');
  });

  it('can depend on the service for which requests are signed', async () => {
    const ofService = {
      environmentVariableSelector: (_: NodeJS.ProcessEnv, options?: { signingName?: string }) => options?.signingName,
      default: 'none',
    };
    await expect(loadConfig(ofService, { signingName: 'bedrock' })()).resolves.toBe('bedrock');
  });

  it('is refused with a value that the SDK does not know', async () => {
    const refusing = {
      environmentVariableSelector: (): string => {
        throw new TypeError('neither true nor false');
      },
      default: 'legacy',
    };
    await expect(loadConfig(refusing)()).rejects.toThrow('neither true nor false');
  });
});
