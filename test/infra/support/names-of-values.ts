import { type Ast, type Code, eachNode, nameOf } from './bundled-code.ts';

/** The names by which code refers to values, and the members that it reads of the value of a name. */
export type Names = {
  /** Follows a value from its place in the code, and gives it a unique name. @returns all its names */
  of(value: Ast, name: string): ReadonlySet<string>;
  /** Returns whether the code reads this member of a value with one of the names. */
  hasMember(names: ReadonlySet<string>, member: string): boolean;
};

/** The name of the function at the top level that contains a node. */
export function functionAround({ functions }: Code, node: Ast): string | undefined {
  for (let at: Ast | undefined = node; at; at = at.parent) {
    const name: string = at.id?.name ?? '';
    const made: Ast | undefined = functions.get(name)?.node;
    if (made && (made === at || made === at.init)) return name;
  }
  return undefined;
}

/**
 * Records the names that a value gets on its way: as a member of an object, a constant, a parameter of a called
 * function, and a result. It knows no scopes: one name is one value in the whole program.
 */
export function namesIn(code: Code): Names {
  const { root, functions, calls } = code;
  const further = new Map<string, Set<string>>();
  const members = new Map<string, Set<string>>();
  const note = (map: Map<string, Set<string>>, key: string, value: string) =>
    map.set(key, (map.get(key) ?? new Set()).add(value));

  const bind = (name: string, pattern: Ast | undefined): void => {
    if (pattern?.type === 'AssignmentPattern') bind(name, pattern.left);
    if (pattern?.type === 'Identifier') note(further, name, pattern.name);
    if (pattern?.type === 'ObjectPattern')
      for (const { key, argument } of pattern.properties)
        if (key) note(members, name, key.name);
        else note(further, name, argument.name);
  };

  const follow = (value: Ast, name: string, seen = new Set<Ast>()): void => {
    const { parent } = value;
    if (!parent || seen.has(value)) return;
    seen.add(value);
    switch (parent.type) {
      case 'MemberExpression':
        if (parent.object === value) note(members, name, nameOf(parent) ?? EVERY);
        return;
      case 'Property':
        if (parent.value !== value) return;
        if (parent.parent?.type === 'ObjectExpression') note(further, name, parent.key.name);
        return;
      case 'VariableDeclarator':
        if (parent.init === value) bind(name, parent.id);
        return;
      case 'SpreadElement':
        follow(parent.parent as Ast, name, seen);
        return;
      case 'AwaitExpression':
      case 'ConditionalExpression':
      case 'LogicalExpression':
        follow(parent, name, seen);
        return;
      case 'CallExpression':
        bind(name, functions.get(parent.callee.name)?.node.params[parent.arguments.indexOf(value)]);
        return;
      case 'ReturnStatement':
      case 'ArrowFunctionExpression': {
        const around = functionAround(code, parent) ?? '';
        const made = functions.get(around)?.node;
        if (made && (parent === made || parent.parent?.parent === made))
          for (const call of calls.get(around) ?? []) follow(call, name, seen);
      }
    }
  };

  eachNode(root, (node) => {
    const name = nameOf(node);
    const isMemberName = node.parent?.type === 'MemberExpression' && node.parent.property === node;
    if (name !== undefined && !isMemberName) follow(node, name);
    if (node.type === 'Property' && node.parent?.type === 'ObjectPattern') bind(node.key.name, node.value);
  });

  return {
    of(value, name) {
      follow(value, name);
      const all = new Set([name]);
      // A set also yields values that are added during the iteration.
      for (const known of all) for (const other of further.get(known) ?? []) all.add(other);
      return all;
    },
    hasMember: (names, member) =>
      [...names].some((name) => members.get(name)?.has(member) || members.get(name)?.has(EVERY)),
  };
}

/** Any member: `store[name]`. */
const EVERY = '*';
