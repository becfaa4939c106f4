import { wrapTests } from '../runner/wrapped-tests.ts';
import { takeRevealed } from './searched-lines.ts';

wrapTests(async (run) => {
  await run();
  const revealed = takeRevealed().map(({ what, line }) => `an operation logged ${what}: ${line}`);
  if (revealed.length > 0) throw new Error(revealed.join('\n'));
});
