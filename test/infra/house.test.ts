import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { functionNames, functionRow } from '../../lib/functions.ts';
import { tables } from '../../lib/tables.ts';
import { metricNames } from '../../shared/domain/metric.ts';
import { secretsComparedIn } from './support/comparisons.ts';
import { type Import, importsIn } from './support/imports.ts';
import { codeOf, filesBelow, read, root } from './support/sources.ts';

const FOLDERS = ['bin', 'lib', 'functions', 'shared', 'local', 'scripts', 'test'];
const page = filesBelow('dashboard').filter((path) => /\.tsx?$/.test(path));
const code = [...FOLDERS.flatMap((folder) => filesBelow(folder, '.ts')), ...page];
const imports = code.flatMap((path) => importsIn(path, read(path)));
const arrow = ({ from, to, isTypeOnly }: Import) => `${from} -> ${to}${isTypeOnly ? ' (type)' : ''}`;
/** Shows the imports that break a rule. */
const importsThat = (breaks: (one: Import) => unknown) => imports.filter(breaks).map(arrow);
const below = (path: string, ...folders: string[]) => folders.some((folder) => path.startsWith(`${folder}/`));
const functionFiles = filesBelow('functions', '.ts').map((path) => path.slice('functions/'.length, -'.ts'.length));

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
    packages: /^(@aws-sdk\/(?!credential)|zod\/mini$|node:stream$)/,
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
    packages: /^(@middy\/|@aws-lambda-powertools\/|@aws-sdk\/|aws-lambda$|busboy$|zod\/mini$|node:fs$)/,
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
    // vite and Node.js: vite.config.ts alone.
    packages:
      /^(react|react-dom(\/client)?|react-hook-form|recharts|@base-ui\/react\/[a-z-]+|@tanstack\/react-(query|router)|lucide-react|zod\/mini|vite|node:(crypto|fs|url))$/,
  },
  'local/simulators': { may: ['local/simulators'], packages: /^(node:|@hono\/|[^.@])/ },
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
      /^(@aws-sdk\/|commander$|cli-table3$|csv-parse|oxc-parser$|zod(\/mini)?$|node:(crypto|fs|fs\/promises|module|url)$)/,
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

describe('dashboard', () => {
  const own = imports.filter(({ from }) => below(from, 'dashboard'));

  /** The files of shared that the browser loads, directly or through others. */
  function loaded(): string[] {
    const found = new Set<string>();
    const visit = (file: string) => {
      if (found.has(file)) return;
      found.add(file);
      for (const { from, to, isPackage, isTypeOnly } of imports)
        if (from === file && !isPackage && !isTypeOnly) visit(to);
    };
    for (const { to, isPackage, isTypeOnly } of own) if (!isPackage && !isTypeOnly && below(to, 'shared')) visit(to);
    return [...found];
  }

  it('loads no file that needs Node.js or a package that is too large for a page', () => {
    const files = loaded();
    expect(files).toContain('shared/messages/dashboard/session.ts');
    expect(importsThat(({ from, to, isPackage }) => files.includes(from) && isPackage && to !== 'zod/mini')).toEqual(
      [],
    );
  });

  it('imports the build tool in its configuration alone', () => {
    const strange = own.filter(({ from, to }) => /^(vite$|node:)/.test(to) && from !== 'dashboard/vite.config.ts');
    expect(strange.map(arrow)).toEqual([]);
  });

  it('exports by name only', () => {
    const unnamed = page.filter((path) => path !== 'dashboard/vite.config.ts' && /^export default/m.test(codeOf(path)));
    expect(unnamed).toEqual([]);
  });

  it('has files of at most 200 lines', () => {
    const written = filesBelow('dashboard').filter((path) => /\.(tsx?|css)$/.test(path));
    expect(written.filter((path) => linesOf(path) > 200)).toEqual([]);
  });

  it('writes no markup, style or script into the page', () => {
    const writing =
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|<(style|script)\b|srcDoc/;
    expect(page.filter((path) => writing.test(codeOf(path)))).toEqual([]);
    expect(read('dashboard/index.html')).not.toMatch(/<style|style=|\son[a-z]+=|<script(?![^>]*\ssrc=)/);
  });
});

/** The files and folders of bin/admin, with the others that each may import. */
const partsOfAdmin: Record<string, string[]> = {
  failures: [],
  output: [],
  values: ['failures'],
  cloud: ['failures'],
  verb: ['cloud', 'failures'],
  'data-center': ['values', 'verb'],
  explain: ['failures'],
  voice: ['cloud', 'failures'],
  'vendor-access': ['cloud'],
  'record-remover': ['cloud', 'vendor-access'],
  'records-shown': ['failures', 'output'],
  erasure: ['cloud', 'voice', 'record-remover'],
  'person-key': ['cloud'],
  commands: [
    ...['cloud', 'values', 'output', 'verb', 'data-center', 'voice', 'erasure', 'person-key', 'failures'],
    ...['vendor-access', 'records-shown'],
  ],
  program: ['commands', 'verb', 'failures'],
  run: ['program', 'cloud', 'explain', 'output', 'verb', 'failures'],
};

describe('bin/admin', () => {
  const inside = imports.flatMap((one) => {
    const [own, other] = [one.from, one.to].map((path) => /^bin\/admin\/([^/.]+)[/.]([^/.]+)/.exec(path));
    return own && other ? [{ one, own, other }] : [];
  });

  it('has parts that import each other in one direction', () => {
    const strange = inside.filter(
      ({ own: [, own = ''], other: [, other = ''] }) => own !== other && !partsOfAdmin[own]?.includes(other),
    );
    expect(strange.map(({ one }) => arrow(one))).toEqual([]);
  });

  it('has commands that import no other noun', () => {
    const strange = inside.filter(
      ({ own, other }) => own[1] === 'commands' && other[1] === 'commands' && own[2] !== other[2],
    );
    expect(strange.map(({ one }) => arrow(one))).toEqual([]);
  });
});

/** Folders of the layers domain, stores and operations, with the other shelves that each may import. */
const shelves: Record<string, string[]> = {
  time: [],
  text: [],
  dynamodb: [],
  organizations: ['time', 'text', 'dynamodb'],
  connections: ['organizations', 'time', 'text', 'dynamodb'],
  calls: ['connections', 'organizations', 'time', 'text', 'dynamodb'],
  'after-call': ['calls', 'connections', 'organizations', 'time', 'text', 'dynamodb'],
  leads: ['calls', 'connections', 'organizations', 'time', 'text', 'dynamodb'],
  notices: ['calls', 'connections', 'organizations', 'time', 'text', 'dynamodb'],
};

/** @returns the name of the shelf; '' at the root of a layer; undefined outside the layers that have shelves */
function shelfOf(path: string): string | undefined {
  const [, inside] = /^shared\/(?:domain|stores|operations)\/(.+)$/.exec(path) ?? [];
  return inside?.includes('/') ? inside.split('/')[0] : inside && '';
}

describe('shelves', () => {
  it('have the names and directions of the table in docs/architecture.md', () => {
    const section = read('docs/architecture.md').split('\n### Shelves\n')[1]?.split('\n## ')[0] ?? '';
    const rows = [...section.matchAll(/^\| (?<shelf>[a-z-]+) \|[^|]*\|(?<may>[^|]*)\|$/gm)];
    const documented = rows.map(({ groups }) => [groups?.shelf, groups?.may?.trim()]).slice(1);
    expect(documented).toEqual(Object.entries(shelves).map(([name, may]) => [name, may.join(', ')]));
  });

  it('contain every folder of domain, stores and operations', () => {
    const found = new Set(filesBelow('shared', '.ts').map(shelfOf));
    expect([...found].filter(Boolean).sort()).toEqual(Object.keys(shelves).sort());
  });

  it('import each other in one direction, inside a layer and across layers', () => {
    const strange = importsThat(({ from, to }) => {
      const [own, other] = [shelfOf(from), shelfOf(to)];
      return own !== undefined && other && other !== own && !shelves[own]?.includes(other);
    });
    expect(strange).toEqual([]);
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

const linesOf = (path: string) => read(path).trimEnd().split('\n').length;

describe('files', () => {
  it('are never barrels', () => {
    expect(code.filter((path) => /(^|\/)index\.tsx?$/.test(path))).toEqual([]);
  });

  it('have at most 400 lines', () => {
    const folders = ['bin', 'dashboard', 'lib', 'functions', 'shared', 'local', 'scripts'];
    const written = folders.flatMap((folder) => filesBelow(folder));
    expect(written.filter((path) => /\.(ts|tsx|mjs|py)$/.test(path) && linesOf(path) > 400)).toEqual([]);
  });

  it('of functions only compose other modules, in at most 90 lines', () => {
    expect(filesBelow('functions', '.ts').filter((path) => linesOf(path) > 90)).toEqual([]);
  });
});

it('the domain takes the time as an argument', () => {
  const clock = /Date\.now\(|new Date\(\s*\)|performance\.now\(|process\.|setTimeout|setInterval/;
  expect(filesBelow('shared/domain', '.ts').filter((path) => clock.test(codeOf(path)))).toEqual([]);
});

it('only what people write is checked by strict schemas, so that a version that is rolled back to reads newer items', () => {
  const strict = filesBelow('shared', '.ts').filter((path) => /\bz\.strictObject\(/.test(codeOf(path)));
  const written = [
    'shared/messages/dashboard/',
    'shared/runtime/dashboard-input.ts',
    'shared/domain/connections/connection-settings.ts',
    'shared/domain/connections/crm-b-settings.ts',
    'shared/domain/connections/help-desk-settings.ts',
    'shared/domain/connections/oauth-client.ts',
    'shared/domain/organizations/analysis-schema.ts',
    'shared/domain/organizations/assistant-definition.ts',
    'shared/domain/after-call/erasure-receipt.ts',
  ];
  expect(strict.filter((path) => !written.some((one) => path.startsWith(one)))).toEqual([]);
});

it('no secret is compared in a time that depends on it', () => {
  const written = ['shared', 'functions', 'bin', 'lib'].flatMap((folder) => filesBelow(folder, '.ts'));
  const compared = written.map((path) => [path, secretsComparedIn(path, read(path))] as const);
  expect(compared.filter(([, found]) => found.length > 0)).toEqual([]);
  const guess = "if (token === undefined || token === '' || given.apiToken !== stored) refuse(a.secret == b);";
  expect(secretsComparedIn('a.ts', guess)).toEqual(['given.apiToken !== stored', 'a.secret == b']);
});

describe('every function', () => {
  it('has a file at the path of its row, and every file has a row', () => {
    const files = functionNames
      .map(functionRow)
      .flatMap(({ entry, children }) => [entry, ...Object.values(children ?? {})]);
    // Two functions start the same program.
    expect([...new Set(files)].sort()).toEqual(functionFiles.sort());
  });

  it.each(functionNames)('%s has the name of its file, in the folder of its trigger', (name) => {
    const folders = {
      http: ['rest', 'webhooks', 'oauth', 'dashboard'],
      queue: ['consumers'],
      stream: ['streams'],
      schedule: ['schedules'],
    };
    const { entry, trigger } = functionRow(name);
    expect(entry.split('/').at(-1)).toBe(name);
    expect(folders[trigger.kind]).toContain(entry.split('/')[0]);
  });

  it('has a row in the flow table of the architecture, and every row a function', () => {
    const rows = [...read('docs/architecture.md').matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...functionNames].sort());
  });

  it('stores no table that the map of personal data leaves out', () => {
    const rows = [...read('docs/personal-data.md').matchAll(/^\| ([a-z-]+) \|/gm)].map(([, name]) => name);
    expect(rows).toEqual(expect.arrayContaining(Object.keys(tables)));
  });

  it.each(functionNames)('%s receives from lib exactly the variables that its file reads', (name) => {
    const { entry, uses } = functionRow(name);
    const config = /readConfig\(\{([\s\S]*?)\}\)/.exec(codeOf(`functions/${entry}.ts`))?.[1] ?? '';
    const reads = [...config.matchAll(/\b([A-Z][A-Z0-9_]+):/g)].map(([, variable]) => variable);
    expect(reads.sort()).toEqual(Object.keys(uses).sort());
  });

  it('on a route or a queue has an end-to-end test of its name', () => {
    const tests = filesBelow('test/e2e', '.test.ts');
    const described = tests.map((path) =>
      [...codeOf(path).matchAll(/describe(?:\.each)?\(\s*(['"`])(.*?)\1/g)].join('\n'),
    );
    const untested = functionNames.filter(
      (name) =>
        ['http', 'queue'].includes(functionRow(name).trigger.kind) &&
        !tests.includes(`test/e2e/${name}.test.ts`) &&
        !described.some((titles) => titles.includes(name)),
    );
    expect(untested).toEqual([]);
  });
});

describe('every metric', () => {
  const counts = filesBelow('shared/operations', '.ts').map(codeOf).join('\n');
  const expectations = filesBelow('test/unit/operations', '.test.ts').map(codeOf).join('\n');
  const runbook = read('docs/runbooks/alarms.md');

  it.each(metricNames)('%s is counted, in a unit test, too, and has an alarm with a section of the runbook', (name) => {
    expect(counts).toMatch(new RegExp(`\\bcount\\('${name}'`));
    expect(expectations).toMatch(new RegExp(`'${name}'`));
    const [, section] =
      new RegExp(`\\b${name}:\\s*'[^']*Runbook: "([^"]+)"`).exec(codeOf('lib/stacks/observability.ts')) ?? [];
    expect(runbook).toContain(`\n## ${section}\n\n\`…-${name}\``);
  });
});

describe('the checkout', () => {
  it('names no absolute path of a machine and no registry', () => {
    // Composed here, so that this file does not contain the names either.
    const machine = new RegExp(`(?<![\\w.$}/-])/(${['work', 'root', 'home/[a-z]+', 'Users/[A-Za-z]+'].join('|')})/`);
    const registry = new RegExp(
      ['registry\\.', '(npmjs|yarnpkg)\\.', '(org|com)'].join('').concat('|files\\.python', 'hosted'),
    );
    const texts = filesBelow('').filter((path) =>
      /\.(ts|tsx|mjs|json|md|py|txt|ya?ml|css|html)$|(^|\/)\.[a-z]+$/.test(path),
    );
    const naming = texts.filter((path) => machine.test(read(path)) || registry.test(read(path)));
    expect(naming).toEqual([]);
    expect(texts).toEqual(expect.arrayContaining(['package-lock.json', 'biome.json']));
  });
});
