import { functionNames, memoryOf } from '../../lib/functions.ts';
import { names } from '../../lib/names.ts';
import { readSeenUse } from '../support/stack/seen-use.ts';

const seen = readSeenUse('memory', ['e2e', 'faults']);
const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('each function has at least one and a half times the memory that its largest process used', () => {
  const functions = functionNames.map((name) => {
    const kilobytes = seen.map((memory) => memory[names('local').function(name)] ?? 0);
    return { name, has: memoryOf(name), used: Math.max(...kilobytes) / 1024 };
  });
  expect(functions.filter(({ has, used }) => used === 0 || has < 1.5 * used)).toEqual([]);
});
