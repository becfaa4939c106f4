type Step = () => Promise<unknown>;

/** Collects the steps that end a start, and runs them in reverse. @param limit milliseconds until a forced exit */
export function shutdown(limit: number) {
  const steps: Step[] = [];
  let stopping: Promise<void> | undefined;
  return {
    add: (step: Step): void => {
      steps.push(step);
    },
    isStopping: (): boolean => stopping !== undefined,
    /** Ends the process. A second call waits for the first. */
    stop(code: number): Promise<void> {
      stopping ??= (async () => {
        const timer = setTimeout(() => process.exit(code), limit);
        for (const step of steps.reverse()) await step().catch(() => undefined);
        clearTimeout(timer);
        process.exit(code);
      })();
      return stopping;
    },
  };
}
