import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { arrow, below, imports, importsThat } from '../support/checkout.ts';
import type { Import } from '../support/imports.ts';
import { read, root } from '../support/sources.ts';

type Rule = {
  /** The folders that the layer may import. */
  may: string[];
  /** The folders that it may import only as types. */
  types?: string[];
  packages: RegExp;
};

const shared = (...names: string[]) => names.map((name) => `shared/${name}`);

/** Imports point one way (docs/architecture.md, "Layers"). */
const layers: Record<string, Rule> = {
  'shared/domain': {
    may: shared('domain'),
    packages: /^(node:(crypto|zlib|net)|zod\/mini|luxon|libphonenumber-js\/min|@cfworker\/json-schema)$/,
  },
  'shared/messages': { may: shared('messages', 'domain'), packages: /^zod\/mini$/ },
  'shared/stores': {
    may: shared('stores', 'messages', 'domain'),
    packages: /^(@aws-sdk\/(?!credential)|@smithy\/|zod\/mini$|node:stream$)/,
  },
  'shared/integrations': {
    may: shared('integrations', 'messages', 'domain'),
    packages:
      /^(node:(http|https|net|stream|dns\/promises|crypto)|zod\/mini|standardwebhooks|@aws-sdk\/client-(bedrock-runtime|cognito-identity-provider|sesv2))$/,
  },
  'shared/documents': {
    may: shared('documents', 'domain'),
    packages:
      /^(node:(child_process|events|fs|net|stream|dgram|dns|module|os)|fflate|mammoth|yauzl|pdf-parse|pdfjs-dist\/.*worker\.mjs)$/,
  },
  'shared/operations': {
    may: shared('operations', 'stores', 'messages', 'domain'),
    types: shared('integrations', 'documents'),
    packages: /^node:crypto$/,
  },
  'shared/runtime': {
    may: shared('runtime', 'messages', 'domain'),
    types: shared('operations', 'stores'),
    packages: /^(@middy\/|@aws-lambda-powertools\/|@aws-sdk\/|aws-lambda$|busboy$|zod\/mini$|node:(buffer|fs|stream)$)/,
  },
  'shared/wiring': {
    may: shared('wiring', 'runtime', 'operations', 'stores', 'integrations', 'domain'),
    packages: /^@aws-sdk\//,
  },
  functions: {
    may: shared('wiring', 'runtime', 'operations', 'stores', 'integrations', 'documents', 'messages', 'domain'),
    packages: /^(@aws-sdk\/client-|zod\/mini$|node:url$)/,
  },
  lib: {
    may: ['lib', 'shared/stores', 'shared/messages', 'shared/domain'],
    packages:
      /^(aws-cdk-lib(\/|$)|constructs$|esbuild$|zod$|node:(child_process|crypto|fs|module|url|path|util|zlib)$)/,
  },
  dashboard: {
    may: ['dashboard', 'shared/messages/dashboard', 'shared/domain'],
    // vite and Node.js: only vite.config.ts.
    packages:
      /^(react|react-dom(\/client)?|react-hook-form|recharts|@base-ui\/react\/[a-z-]+|@tanstack\/react-(query|router)|lucide-react|zod\/mini|vite|node:(crypto|fs|url))$/,
  },
  'local/simulators': {
    may: ['local/simulators'],
    packages:
      /^(zod|hono(\/html)?|@hono\/node-server(\/utils\/response)?|libphonenumber-js\/min|commander|node:(crypto|fs|http|http2|net|timers\/promises|url))$/,
  },
  'bin/admin': {
    may: [
      'bin/admin',
      'shared/operations',
      'shared/integrations',
      'shared/runtime',
      'shared/stores',
      'shared/domain',
      'lib',
    ],
    packages:
      /^(@aws-sdk\/|commander$|cli-table3$|csv-parse|oxc-parser$|yaml$|zod(\/mini)?$|node:(crypto|fs|fs\/promises|module|url)$)/,
  },
  'bin/admin/cloud': {
    may: ['bin/admin', 'shared/runtime', 'shared/stores', 'shared/domain', 'lib'],
    packages: /^(@aws-sdk\/|zod$|node:(fs|url)$)/,
  },
};

describe.each(Object.entries(layers))('%s', (layer, { may, types = [], packages }) => {
  const own = imports.filter(({ from }) => below(from, layer));

  it('exists', () => {
    expect(own.length).toBeGreaterThan(0);
  });

  it(`imports only ${[...may, ...types.map((folder) => `${folder} (types)`)].join(', ')}`, () => {
    const strange = own.filter(
      ({ to, isPackage, isTypeOnly }) => !isPackage && !below(to, ...may) && !(isTypeOnly && below(to, ...types)),
    );
    expect(strange.map(arrow)).toEqual([]);
  });

  it('imports only its allowed packages', () => {
    expect(own.filter(({ to, isPackage }) => isPackage && !packages.test(to)).map(arrow)).toEqual([]);
  });
});

describe('the table of layers in docs/architecture.md', () => {
  const section = read('docs/architecture.md').split('\n## Layers\n')[1]?.split('\n##')[0] ?? '';
  const rows = new Map(
    [...section.matchAll(/^\| (?<folder>[a-z/]+)\/ \|.*\| (?<may>[^|]*) \|$/gm)].map(({ groups = {} }) => [
      groups.folder,
      // Removes the text that a row adds in brackets.
      groups.may?.replaceAll(/ \([^)]*\)/g, ''),
    ]),
  );
  const nameOf = (folder: string) => folder.replace('shared/', '');
  const described = [
    'functions',
    'lib',
    'bin/admin',
    ...Object.keys(layers).filter((layer) => layer.startsWith('shared/')),
  ];

  it.each(described)('says what %s may import', (layer) => {
    const { may, types = [] } = layers[layer] ?? { may: [] };
    const others = may.filter((folder) => folder !== layer).map(nameOf);
    const words = [
      others.join(', ') || 'no other layer',
      ...(types.length > 0 ? [`types of ${types.map(nameOf).join(' and ')}`] : []),
    ];
    expect(rows.get(layer)).toBe(words.join('; '));
  });
});

describe('imports', () => {
  it('name existing files, with their extension', () => {
    expect(importsThat(({ to, isPackage }) => !isPackage && !existsSync(join(root, to)))).toEqual([]);
  });

  it.each<[string, (one: Import) => boolean]>([
    [
      'of middy and Powertools occur only in shared/runtime',
      ({ from, to }) => /^@(middy|aws-lambda-powertools)\//.test(to) && !below(from, 'shared/runtime', 'test'),
    ],
    ['of bin and local exclude functions', ({ from, to }) => below(from, 'bin', 'local') && below(to, 'functions')],
    ['of other code exclude tests', ({ from, to }) => !below(from, 'test') && below(to, 'test')],
    [
      'of deployed code exclude our infrastructure',
      ({ from, to }) =>
        below(from, 'functions', 'shared') && /^(lib|bin|local)\/|^(aws-cdk-lib|constructs|esbuild)/.test(to),
    ],
  ])('%s', (_, breaks) => {
    expect(importsThat(breaks)).toEqual([]);
  });

  it('have no cycles', () => {
    const targets = new Map<string, string[]>();
    for (const { from, to, isPackage } of imports)
      if (!isPackage) targets.set(from, [...(targets.get(from) ?? []), to]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of targets.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of targets.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});
