/** A setting of the SDK's clients: its source in the environment, and its default. */
type Setting<Value> = {
  environmentVariableSelector: (environment: NodeJS.ProcessEnv, options?: Options) => Value | undefined;
  default: Value | (() => Promise<Value>);
};

type Options = { signingName?: string };

/**
 * Replaces the SDK's loader of settings in the bundles (lib/lean-sdk.ts). Lambda has no configuration files; the SDK
 * would search for them, and create an error with its stack for each absent setting.
 * @returns a function that reads the setting once. It throws if the environment has a value that the SDK does not know
 */
export function loadConfig<Value>(
  { environmentVariableSelector, default: standard }: Setting<Value>,
  options?: Options,
): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  const read = async () =>
    environmentVariableSelector(process.env, options) ??
    (typeof standard === 'function' ? (standard as () => Promise<Value>)() : standard);
  return () => {
    reading ??= read();
    return reading;
  };
}
