import type { Cloud } from '../../cloud/cloud.ts';
import { atMost, fileContent } from '../../input.ts';
import { invalid } from '../../values.ts';
import { type Answer, type Invocation, type Noun, verb } from '../../verb.ts';

const LIMIT = atMost(1, 'The input', ': give only the lines of one error');

export const stackTrace: Noun = {
  name: 'stack-trace',
  summary: 'Stack traces of functions',
  verbs: [
    verb({
      usage: 'read [file]',
      summary:
        'Shows files, lines and functions of the stack traces in log lines, or in a bare stack; - means standard input',
      act: read,
    }),
  ],
};

async function read(cloud: Cloud, _flags: object, { argument, readInput }: Invocation): Promise<Answer> {
  // Loaded here, because no other command needs the bundler.
  const [{ bundlesIn, stackTracesIn, translate }, { sourceMapOf }] = await Promise.all([
    import('./frames.ts'),
    import('./source-map.ts'),
  ]);
  const isPiped = argument === '' || argument === '-';
  const text = isPiped
    ? await readInput('Paste a log line or a stack, then press Ctrl-D:', LIMIT)
    : (await fileContent('the file', argument, LIMIT)).toString('utf8');
  const traces = stackTracesIn(text);
  const bundles = bundlesIn(traces.join('\n'));
  if (bundles.length === 0)
    throw invalid(
      'The input has no stack trace of a function: its lines name a bundle, as "at x (dial-call/index.0123456789ab.mjs:1:2)".',
    );
  const maps = await Promise.all(bundles.map((bundle) => sourceMapOf(bundle, cloud)));
  const translated = traces.filter((trace) => bundlesIn(trace).length > 0).map((trace) => translate(trace, maps));
  return { json: { bundles, stack_traces: translated }, people: translated.join('\n\n') };
}
