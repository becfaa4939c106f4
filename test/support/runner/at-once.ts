type Run = () => Promise<void>;

/**
 * Returns a wrapper for the functions of slow tests. The runner calls tests one after the other, so the first test that
 * it calls starts all of them, in their order.
 * @param most the number of tests that run at once
 */
export function atOnce(most: number): (run: Run) => Run {
  const waiting: Run[] = [];
  let isStarted = false;
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await next();
  };
  return (run) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // The runner may call the test after this promise has been rejected.
    promise.catch(() => undefined);
    waiting.push(() => run().then(resolve, reject));
    return () => {
      if (!isStarted) Array.from({ length: most }, runNext);
      isStarted = true;
      return promise;
    };
  };
}
