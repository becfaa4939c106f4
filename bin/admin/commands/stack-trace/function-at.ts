import { type Node, parseSync, Visitor } from 'oxc-parser';

/**
 * Finds the name of the innermost named function around a place. The bundle's own names are minified.
 * @param offset in characters
 */
export function functionAt(file: string, code: string, offset: number): string | undefined {
  let found: { start: number; name: string } | undefined;
  const look = (key: Node | null, body: Node | null) => {
    const name = key && 'name' in key && typeof key.name === 'string' ? key.name : undefined;
    if (!name || !body || !/Function/.test(body.type) || offset < body.start || offset >= body.end) return;
    if (!found || body.start > found.start) found = { start: body.start, name };
  };
  new Visitor({
    FunctionDeclaration: (node) => look(node.id, node),
    FunctionExpression: (node) => look(node.id, node),
    VariableDeclarator: ({ id, init }) => look(id, init),
    MethodDefinition: ({ key, value }) => look(key, value),
    PropertyDefinition: ({ key, value }) => look(key, value),
    Property: ({ key, value }) => look(key, value),
  }).visit(parseSync(file, code).program);
  return found?.name;
}
