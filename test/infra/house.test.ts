import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { areas } from '../../lib/dashboard/row.ts';
import { functionNames, functionRow } from '../../lib/functions.ts';
import { type TableName, tableRow, tables } from '../../lib/tables.ts';
import { shelves } from '../../scripts/new-function/shelves.ts';
import { metricNames } from '../../shared/domain/metric.ts';
import { fileKinds } from '../../shared/domain/organizations/retention.ts';
import { prefixesOfKind } from '../../shared/stores/calls/files/file-versions.ts';
import { bucketFolders } from '../support/stack/bucket-folders.ts';
import { secretsComparedIn } from './support/comparisons.ts';
import { type Import, importsIn } from './support/imports.ts';
import { codeOf, filesBelow, read, root } from './support/sources.ts';

const FOLDERS = ['bin', 'lib', 'functions', 'shared', 'local', 'scripts', 'test'];
const page = filesBelow('dashboard').filter((path) => /\.tsx?$/.test(path));
const code = [...FOLDERS.flatMap((folder) => filesBelow(folder, '.ts')), ...page];
const imports = code.flatMap((path) => importsIn(path, read(path)));
const arrow = ({ from, to, isTypeOnly }: Import) => `${from} -> ${to}${isTypeOnly ? ' (type)' : ''}`;
/** Formats the imports that break a rule. */
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
    packages: /^(@middy\/|@aws-lambda-powertools\/|@aws-sdk\/|aws-lambda$|busboy$|zod\/mini$|node:(fs|stream)$)/,
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

  it('imports no file that needs Node.js or a package that is too large for a page', () => {
    const files = loaded();
    expect(files).toContain('shared/messages/dashboard/session.ts');
    expect(importsThat(({ from, to, isPackage }) => files.includes(from) && isPackage && to !== 'zod/mini')).toEqual(
      [],
    );
  });

  it('imports the build tool only in its configuration', () => {
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

  it('writes no inline markup, style or script', () => {
    const writing =
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|<(style|script)\b|srcDoc/;
    expect(page.filter((path) => writing.test(codeOf(path)))).toEqual([]);
    expect(read('dashboard/index.html')).not.toMatch(/<style|style=|\son[a-z]+=|<script(?![^>]*\ssrc=)/);
  });
});

/** The shelves of dashboard/, with the others that each may import. */
const shelvesOfDashboard: Record<string, string[]> = {
  'app/api': [],
  'app/browser': [],
  'app/files': [],
  words: ['app/api', 'app/files'],
  'app/address': ['words'],
  'app/query': ['app/api'],
  'app/session': ['app/api', 'app/browser', 'app/query', 'words'],
  'app/reads': ['app/address', 'app/query', 'app/session'],
  'parts/text': ['words'],
  'parts/button': ['parts/text'],
  'parts/layout': [],
  'parts/message': ['app/api', 'app/session', 'app/reads', 'words', 'parts/text', 'parts/button', 'parts/layout'],
  'parts/form': ['app/api', 'app/query', 'words', 'parts/text', 'parts/button', 'parts/message'],
  'parts/dialog': ['app/browser', 'app/query', 'app/session', 'parts/button', 'parts/message', 'parts/form'],
  'parts/list': ['app/files', 'app/query', 'parts/text', 'parts/button', 'parts/layout', 'parts/message', 'parts/form'],
  'parts/chart': ['words', 'parts/button', 'parts/message', 'parts/list'],
  'app/navigation': ['parts/dialog'],
  'app/keyboard': ['app/browser', 'app/navigation', 'parts/dialog'],
  'app/menus': ['words', 'app/session', 'app/reads', 'parts/button', 'parts/message'],
};
shelvesOfDashboard.pages = Object.keys(shelvesOfDashboard);
shelvesOfDashboard['app/shell'] = [
  'words',
  'app/address',
  'app/api',
  'app/query',
  'app/session',
  'app/reads',
  'parts/text',
  'parts/button',
  'parts/message',
  'parts/form',
  'parts/dialog',
  'app/navigation',
  'app/keyboard',
  'app/menus',
];
shelvesOfDashboard['app/routing'] = ['app/address', 'parts/message', 'app/shell', 'pages'];
/** The others that a shelf may import only as types. */
const typesOfShelf: Record<string, string> = { words: 'app/address' };

describe('the shelves of the dashboard', () => {
  const shelfIn = (path: string) => /^dashboard\/((?:app|parts)\/[^/]+|words|pages)\//.exec(path)?.[1];
  const names = Object.keys(shelvesOfDashboard);
  const permittedImports = (name: string, may: string[]) =>
    [name === 'pages' ? 'all above' : may.join(', '), typesOfShelf[name] && `types of ${typesOfShelf[name]}`]
      .filter((part) => part !== undefined)
      .join('; ');

  it('have the names and directions of the table in docs/architecture.md', () => {
    const section = read('docs/architecture.md').split('\n### Shelves of the dashboard\n')[1]?.split('\n##')[0] ?? '';
    const rows = [...section.matchAll(/^\| (?<shelf>[a-z/-]+) \|[^|]*\|(?<may>[^|]*)\|$/gm)].slice(1);
    expect(rows.map(({ groups }) => [groups?.shelf, groups?.may?.trim()])).toEqual(
      Object.entries(shelvesOfDashboard).map(([name, may]) => [name, permittedImports(name, may)]),
    );
  });

  it('contain every folder of app and parts', () => {
    const found = new Set(filesBelow('dashboard').map(shelfIn));
    expect([...found].filter(Boolean).sort()).toEqual([...names].sort());
  });

  it('may import only shelves above them in the table', () => {
    const wrong = names.filter((name, index) =>
      shelvesOfDashboard[name]?.some((other) => !names.slice(0, index).includes(other)),
    );
    expect(wrong).toEqual([]);
  });

  it('import each other in one direction', () => {
    const strange = importsThat(({ from, to, isTypeOnly }) => {
      const [own, other] = [shelfIn(from), shelfIn(to)];
      if (!own || !other || other === own || shelvesOfDashboard[own]?.includes(other)) return false;
      return !(isTypeOnly && typesOfShelf[own] === other);
    });
    expect(strange).toEqual([]);
  });

  it('are imported by no file beside them', () => {
    expect(importsThat(({ from, to }) => /^dashboard\/(app|parts)\/[^/]+$/.test(from) && shelfIn(to))).toEqual([]);
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

/** The folders of local/simulators, with the others that each may import. */
const simulators: Record<string, string[]> = {
  kit: [],
  'crm-a': [],
  model: ['kit'],
  voice: ['kit'],
  'zoho-accounts': ['kit'],
  'crm-b': ['kit', 'zoho-accounts'],
  'help-desk': ['kit', 'zoho-accounts'],
};

const shapes = ['model', 'faults', 'settings', 'create-call', 'scripts'];
const belowRules = [...shapes, 'fields', 'times', 'state'];
/** The parts of a simulator of a vendor, with the others that each may import. */
const partsOfSimulator: Record<string, string[]> = {
  faults: [],
  settings: [],
  'create-call': [],
  scripts: [],
  options: [],
  page: [],
  times: [],
  model: ['create-call', 'scripts'],
  fields: ['model'],
  state: [...shapes, 'fields', 'times'],
  rules: [...belowRules, 'page'],
  pages: [...belowRules, 'rules'],
  routes: [...belowRules, 'rules', 'pages'],
  // The client of the control routes.
  control: [...belowRules, 'rules', 'routes'],
  server: [...belowRules, 'rules', 'routes', 'control'],
  main: ['server', 'options'],
};
/** CRM-A's simulator only sends, so it has parts of its own. */
const partsOfSender: Record<string, string[]> = {
  payloads: [],
  sender: ['payloads'],
  target: ['sender'],
  'burst-plan': ['payloads'],
  main: ['burst-plan', 'payloads', 'sender', 'target'],
};

describe('local/simulators', () => {
  const inside = imports.flatMap((one) => {
    const [own, other] = [one.from, one.to].map((path) => /^local\/simulators\/([^/]+)\/([^/.]+)/.exec(path)?.slice(1));
    return own && other ? [{ one, own, other }] : [];
  });

  it('import only the kit and the accounts server of their vendor', () => {
    const strange = inside.filter(
      ({ own: [own = ''], other: [other = ''] }) => own !== other && !simulators[own]?.includes(other),
    );
    expect(strange.map(({ one }) => arrow(one))).toEqual([]);
  });

  it('have parts that import each other in one direction, even types', () => {
    const strange = inside.filter(({ own: [vendor = '', own = ''], other: [otherVendor, other = ''] }) => {
      const parts = vendor === 'crm-a' ? partsOfSender : partsOfSimulator;
      return vendor !== 'kit' && otherVendor !== 'kit' && own !== other && !parts[own]?.includes(other);
    });
    expect(strange.map(({ one }) => arrow(one))).toEqual([]);
  });
});

/** @returns the name of the shelf; '' at the root of a layer; undefined outside the layers that have shelves */
function shelfOf(path: string): string | undefined {
  const [, inside] = /^shared\/(?:domain|stores|operations)\/(.+)$/.exec(path) ?? [];
  return inside?.includes('/') ? inside.split('/')[0] : inside && '';
}

describe('shelves', () => {
  it('have the names and directions of the table in docs/architecture.md', () => {
    const section = read('docs/architecture.md').split('\n### Shelves\n')[1]?.split('\n##')[0] ?? '';
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

  it('are at most 25 in one folder', () => {
    const folders = ['bin', 'dashboard', 'lib', 'functions', 'shared', 'local', 'scripts', 'test']
      .flatMap((folder) => filesBelow(folder))
      .filter((path) => !/__(init|main)__\.py$|\.txt$/.test(path))
      .map(dirname);
    const crowded = [...new Set(folders)].filter((folder) => folders.filter((one) => one === folder).length > 25);
    expect(crowded).toEqual([]);
  });

  it('of functions only compose other modules, in at most 90 lines', () => {
    expect(filesBelow('functions', '.ts').filter((path) => linesOf(path) > 90)).toEqual([]);
  });
});

it('the domain takes the time as an argument', () => {
  const clock = /Date\.now\(|new Date\(\s*\)|performance\.now\(|process\.|setTimeout|setInterval/;
  expect(filesBelow('shared/domain', '.ts').filter((path) => clock.test(codeOf(path)))).toEqual([]);
});

// Test files share their process, so a later file would use a cloud that has stopped.
it('only local clouds that remove them again set the variables of AWS clients in tests', () => {
  const setting = /process\.env(\.AWS_\w+|\[\w+\]) = /;
  const owners = ['test/local/support/test-cloud.ts', 'test/unit/'];
  const files = filesBelow('test', '.ts').filter((path) => !owners.some((owner) => path.startsWith(owner)));
  expect(files.filter((path) => setting.test(codeOf(path)))).toEqual([]);
});

it('only input of people has strict schemas, so that a rolled-back version can read newer items', () => {
  const strict = filesBelow('shared', '.ts').filter((path) => /\bz\.strictObject\(/.test(codeOf(path)));
  const written = [
    'shared/messages/dashboard/',
    'shared/runtime/dashboard/dashboard-input.ts',
    'shared/domain/connections/connection-settings.ts',
    'shared/domain/connections/crm-b-settings.ts',
    'shared/domain/connections/help-desk-settings.ts',
    'shared/domain/connections/access/oauth-client.ts',
    'shared/domain/organizations/assistants/analysis-schema.ts',
    'shared/domain/organizations/assistants/assistant-definition.ts',
    'shared/domain/after-call/erasure/erasure-receipt.ts',
  ];
  expect(strict.filter((path) => !written.some((one) => path.startsWith(one)))).toEqual([]);
});

it('one file turns a refused conditional write into a result', () => {
  const written = ['shared', 'functions', 'bin', 'lib'].flatMap((folder) => filesBelow(folder, '.ts'));
  expect(written.filter((path) => codeOf(path).includes('ConditionalCheckFailedException'))).toEqual([
    'shared/stores/dynamodb/conditional-table.ts',
  ]);
});

it('every comparison of a secret takes constant time', () => {
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

  it('of the dashboard is in the folder of the area whose file in lib/dashboard has its row', async () => {
    const rows = await Promise.all(
      areas.map(async (area) => {
        const [names] = Object.values<object>(await import(`../../lib/dashboard/${area}.ts`)).map(Object.keys);
        return (names ?? []).map((name) => `dashboard/${area}/${name}`);
      }),
    );
    expect(rows.flat().sort()).toEqual(functionFiles.filter((path) => below(path, 'dashboard')).sort());
  });

  it('has a row in the flow table of the architecture, and every row has a function', () => {
    const rows = [...read('docs/architecture.md').matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual([...functionNames].sort());
  });

  it('stores data only in tables that the map of personal data lists', () => {
    const rows = [...read('docs/personal-data.md').matchAll(/^\| ([a-z-]+) \|/gm)].map(([, name]) => name);
    expect(rows).toEqual(expect.arrayContaining(Object.keys(tables)));
  });

  it('stores files only in folders that the map, an erasure and the search after it cover', () => {
    const uses = functionNames.flatMap((name) => Object.values(functionRow(name).uses));
    const folders = [...new Set(uses.flatMap((use) => (use.kind === 'files' ? use.prefixes : [])))].sort();
    const call = { org_id: 'o', call_id: 'c' };
    const erased = fileKinds.flatMap((kind) => prefixesOfKind(call, kind)).map((prefix) => `${prefix.split('/')[0]}/`);
    expect([...erased, 'knowledge/'].sort()).toEqual(folders);
    expect(Object.keys(bucketFolders).sort()).toEqual(folders);
    const rows = read('docs/personal-data.md').match(/^\| the bucket: .*?\|/gm) ?? [];
    expect(rows.flatMap((row) => [...row.matchAll(/`([a-z-]+\/)`/g)].map(([, name]) => name)).sort()).toEqual(folders);
  });

  it('states a duration for a table only if its items expire', () => {
    const rows = [...read('docs/personal-data.md').matchAll(/^\| ([a-z-]+) \|[^|]*\|[^|]*\|([^|]*)\|/gm)];
    const timed = rows.filter(([, , kept = '']) => /minutes|day|retention/.test(kept)).map(([, name]) => name);
    const expiring = Object.keys(tables).filter((name) => tableRow(name as TableName).expiresAt);
    expect(timed.filter((name = '') => name in tables).sort()).toEqual(expiring.sort());
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
        !tests.includes(`test/e2e/${functionRow(name).entry.split('/')[0]}/${name}.test.ts`) &&
        !described.some((titles) => titles.includes(name)),
    );
    expect(untested).toEqual([]);
  });
});

describe('every metric', () => {
  const counts = filesBelow('shared/operations', '.ts').map(codeOf).join('\n');
  const expectations = filesBelow('test/unit/operations', '.test.ts').map(codeOf).join('\n');
  const runbook = read('docs/runbooks/alarms.md');

  it.each(metricNames)('%s is counted, even in a unit test, and has an alarm with a section of the runbook', (name) => {
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
