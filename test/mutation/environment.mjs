import { TestEnvironment } from 'jest-environment-node';

/** Skips the tests of a file after the first failure: one is enough to kill a mutant. */
export default class extends TestEnvironment {
  hasFailed = false;

  handleTestEvent({ name, test }) {
    if (name === 'test_fn_failure') this.hasFailed = true;
    if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
  }
}
