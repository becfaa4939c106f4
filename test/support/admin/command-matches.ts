import { verbAt, wordsOf } from './documented-commands.ts';

type Parts = { verb: string; argument: string | undefined; flags: ReadonlyMap<string, string> };

function partsOf(words: readonly string[]): Parts {
  const verb = verbAt(words.join(' '))?.[0] ?? '';
  const flags = new Map<string, string>();
  const others: string[] = [];
  const rest = words.slice(verb.split(' ').length);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('--')) {
      others.push(word);
      continue;
    }
    const [flag = '', ...given] = word.split('=');
    const isSwitch = rest[0] === undefined || rest[0].startsWith('--');
    flags.set(flag, given.length > 0 ? given.join('=') : isSwitch ? '' : (rest.shift() ?? ''));
  }
  return { verb, argument: others[0], flags };
}

/** Names of values, such as CALL_ID, and examples of instants and amounts. */
const PLACEHOLDER = /^[A-Z][A-Z_]*$|^[\d.]+$|^\d{4}-\d\d-\d\d/;

const NEGATIVE = /^-[A-Z_]+$/;

/** The keys of a flag whose value is JSON. */
function keysOf(value: string): string[] | undefined {
  if (!value.startsWith('{')) return undefined;
  return Object.keys(JSON.parse(value) as object);
}

function fits(written: string, run: string | undefined): boolean {
  if (run === undefined) return false;
  const keys = keysOf(written);
  const given = keysOf(run);
  if (keys && given) return keys.every((key) => given.includes(key));
  // A sentence may name a flag without its value.
  return (
    written === '' || written === run || PLACEHOLDER.test(written) || (run.startsWith('-') && NEGATIVE.test(written))
  );
}

/** Recognizes the flags that every verb takes. Documents may omit them. */
const isCommon = (flag: string) => ['--stage', '--aws-region', '--json'].includes(flag);

/**
 * Returns whether a command that was run is the documented one: it has the same verb and argument, and at least the
 * documented flags, with their values. A placeholder stands for any value, and JSON for any JSON with at least its
 * keys.
 */
export function isCommandRun(documented: string, run: readonly string[]): boolean {
  const wanted = partsOf(wordsOf(documented));
  const was = partsOf(run);
  return (
    wanted.verb === was.verb &&
    (wanted.argument === undefined || fits(wanted.argument, was.argument)) &&
    [...wanted.flags].every(([flag, value]) => isCommon(flag) || fits(value, was.flags.get(flag)))
  );
}
