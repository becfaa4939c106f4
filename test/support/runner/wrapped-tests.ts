import { addEventHandler } from 'jest-circus';

/**
 * Wraps the function of each test that is defined from now on, because jest-light-runner has no other hook around a
 * test.
 * @param wrap gets the test's function, which it calls
 */
export function wrapTests(wrap: (run: () => unknown) => Promise<void>): void {
  addEventHandler((event, { currentDescribeBlock }) => {
    const added = event.name === 'add_test' ? currentDescribeBlock.children.at(-1) : undefined;
    if (added?.type !== 'test' || !added.fn) return;
    const { fn } = added;
    added.fn = () => wrap(fn as () => unknown);
  });
}
