import { build } from 'esbuild';
import { parseSync } from 'oxc-parser';
import { bundleOptions } from '../../../lib/bundle.ts';

/** A node of the syntax tree (ESTree), with its surroundings. */
export type Ast = {
  type: string;
  start: number;
  end: number;
  parent?: Ast;
  children: Ast[];
  // The other members depend on the type, which a reader has checked.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  [member: string]: any;
};

/** A top-level function, with its parameters, declarations and returned values. */
type TopFunction = {
  node: Ast;
  /** Path of the file that it comes from. */
  file: string;
  parameters: readonly (string | undefined)[];
  /** Values of its own constants and functions. */
  locals: ReadonlyMap<string, Ast>;
  /** Members of the returned object of functions; undefined if it returns another value. */
  methods: ReadonlyMap<string, Ast> | undefined;
};

/**
 * The code of one program without packages, without code that esbuild finds unused. Names at the top level are unique.
 */
export type Code = {
  root: Ast;
  functions: ReadonlyMap<string, TopFunction>;
  /** Values of constants at the top level. */
  constants: ReadonlyMap<string, Ast>;
  /** Imports from packages. */
  imports: ReadonlyMap<string, { name: string; from: string }>;
  /** The calls of each function by its name. */
  calls: ReadonlyMap<string, readonly Ast[]>;
};

/** Bundles programs for reading. @param entries name → file @returns for each name a reader of its code */
export async function bundledCode(entries: Readonly<Record<string, string>>): Promise<Map<string, () => Code>> {
  const { outputFiles } = await build({
    ...bundleOptions,
    entryPoints: { ...entries },
    packages: 'external',
    minify: false,
    write: false,
    outdir: '/',
  });
  return new Map(outputFiles.map(({ path, text }) => [path.slice(1).replace(/\.mjs$/, ''), () => readCode(text)]));
}

export const isFunction = ({ type }: Ast): boolean =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';

/** Visits a node and its descendants. @param visit returns false to skip the descendants */
export function eachNode(node: Ast, visit: (node: Ast) => unknown): void {
  if (visit(node) === false) return;
  for (const child of node.children) eachNode(child, visit);
}

/** The last name of an expression: `calls` of `deps.calls`. */
export function nameOf({ type, name, computed, property }: Ast): string | undefined {
  if (type === 'Identifier') return name;
  return type === 'MemberExpression' && !computed ? property.name : undefined;
}

function readCode(text: string): Code {
  const { program, comments } = parseSync('bundle.mjs', text);
  const root = program as unknown as Ast;
  link(root);
  // esbuild writes the path of each file above its code.
  const files = comments.filter(({ value }) => /^ [\w@.-]+\/.*\.tsx?$/.test(value));
  const fileAt = (position: number) => files.findLast(({ end }) => end <= position)?.value.trim() ?? '';
  const functions = new Map<string, TopFunction>();
  const constants = new Map<string, Ast>();
  const imports = new Map<string, { name: string; from: string }>();
  const calls = new Map<string, Ast[]>();
  const declare = (name: string | undefined, value: Ast | null) => {
    if (!value || name === undefined) return;
    if (isFunction(value)) functions.set(name, { ...describe(value), file: fileAt(value.start) });
    else constants.set(name, value);
  };
  for (const statement of root.body as Ast[])
    switch (statement.type) {
      case 'ImportDeclaration':
        for (const { local, imported } of statement.specifiers)
          imports.set(local.name, { name: imported?.name ?? '', from: statement.source.value });
        break;
      case 'FunctionDeclaration':
        declare(statement.id.name, statement);
        break;
      case 'VariableDeclaration':
        for (const { id, init } of statement.declarations) declare(id.name, init);
    }
  eachNode(root, (node) => {
    if (node.type === 'CallExpression' && node.callee.type === 'Identifier')
      calls.set(node.callee.name, [...(calls.get(node.callee.name) ?? []), node]);
  });
  return { root, functions, constants, imports, calls };
}

/** Notes the children and the parent of each node. */
function link(node: Ast): void {
  const children: Ast[] = [];
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') children.push(child);
  for (const child of children) {
    link(child);
    child.parent = node;
  }
  node.children = children;
}

function describe(node: Ast): Omit<TopFunction, 'file'> {
  const statements: Ast[] = node.body.type === 'BlockStatement' ? node.body.body : [];
  const locals = new Map<string, Ast>();
  for (const statement of statements) {
    if (statement.type === 'FunctionDeclaration') locals.set(statement.id.name, statement);
    if (statement.type === 'VariableDeclaration')
      for (const { id, init } of statement.declarations) if (id.name && init) locals.set(id.name, init);
  }
  const returned: Ast | null =
    statements.find(({ type }) => type === 'ReturnStatement')?.argument ?? (statements.length > 0 ? null : node.body);
  const members: Ast[] = returned?.type === 'ObjectExpression' ? returned.properties : [];
  const isMethod = ({ type, value }: Ast) =>
    type === 'SpreadElement' || isFunction(value) || isFunction(locals.get(value.name) ?? value);
  return {
    node,
    parameters: node.params.map((one: Ast) => nameOf(one.type === 'AssignmentPattern' ? one.left : one)),
    locals,
    methods: members.some(isMethod)
      ? new Map(members.filter(({ key }) => key).map(({ key, value }) => [key.name, value]))
      : undefined,
  };
}
