import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

const unused = (what: string) => `throw new Error('${what} is not part of the bundles (lib/lean-sdk.ts)');`;
const absent = (name: string) => `export class ${name} { constructor() { ${unused(name)} } }`;

/**
 * Modules of the SDK that functions never run, by the end of their path, and their replacements in the bundles: code
 * that throws if a function does run it, or that loads less of Node.js. `npm run bench:cold` shows their cost.
 */
const replaced: Readonly<Record<string, string>> = {
  // Lambda has no configuration files.
  'config/node-config-provider/configLoader.js': `export { loadConfig } from '${root}shared/runtime/lambda/lambda-settings.ts';`,
  // Fallbacks for a Node.js that lacks these checksums.
  'checksum/crc32/Crc32Js.js': absent('Crc32Js'),
  'checksum/sha256/Sha256Js.js': absent('Sha256Js'),
  // For services that return their own addresses. Every client of DynamoDB creates a cache for them.
  'endpoint-cache/dist-es/EndpointCache.js': `export class EndpointCache { get() { ${unused('EndpointCache')} } }`,
  // For the retry mode `adaptive`, which no client has.
  'util-retry/AdaptiveRetryStrategy.js': absent('AdaptiveRetryStrategy'),
  // Lambda names its region in the environment.
  'regionConfig/getInstanceMetadataRegion.js': `export const getInstanceMetadataRegion = () => { ${unused('getInstanceMetadataRegion')} };`,
  // Signs event streams, which no client sends.
  'signature-v4/dist-es/HeaderFormatter.js': `export class HeaderFormatter { format() { ${unused('HeaderFormatter')} } }`,
  // Copies input and output of every request for the log of the SDK, which no client has.
  'middleware-logger/loggerMiddleware.js': `export const getLoggerPlugin = () => ({ applyToStack() {} }); ${absent('loggerMiddleware')} ${absent('loggerMiddlewareOptions')}`,
  // Naming the class of file streams loads all of them; no request sends a file stream.
  'util-body-length/calculateBodyLength.js': `export { calculateBodyLength } from '${root}shared/runtime/lambda/lambda-bodies.ts';`,
  // Naming the class of web streams loads all of them; naming the global `crypto` loads Web Crypto.
  'serde/util-stream/stream-type-check.js': `export { isBlob, isReadableStream } from '${root}shared/runtime/lambda/lambda-streams.ts';`,
  'isStreamingPayload/isStreamingPayload.js': `export { isStreamingPayload } from '${root}shared/runtime/lambda/lambda-streams.ts';`,
  'serde/uuid/v4.js': `import { randomUUID } from 'node:crypto'; export const bindV4 = () => () => randomUUID();`,
};

/** The module that reads event streams in responses. Every client contains it. */
const eventStreams = { path: 'event-streams', namespace: 'absent' };

/** Omits the parts of the SDK that functions never run. */
export const leanSdk: Plugin = {
  name: 'lean-sdk',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? eventStreams : undefined,
    );
    onLoad({ filter: /^event-streams$/, namespace: 'absent' }, () => ({ contents: absent('EventStreamSerde') }));
    // Clients use only the version.
    onLoad({ filter: /node_modules\/@aws-sdk\/client-[^/]+\/package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
    onLoad({ filter: /node_modules\/@(aws-sdk|smithy)\// }, ({ path }) => {
      const found = Object.entries(replaced).find(([end]) => path.endsWith(`/${end}`));
      return found && { contents: found[1], loader: 'js', resolveDir: root };
    });
  },
};
