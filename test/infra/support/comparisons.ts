import { parseSync } from 'oxc-parser';

type Node = {
  type: string;
  start: number;
  end: number;
  name?: string;
  property?: Node;
  operator?: string;
  left?: Node;
  right?: Node;
};

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

const NAMES = '(token|secret|signature|password|verifier|nonce|hmac)s?';
const SECRET = new RegExp(`${NAMES}$`, 'i');
/** Most files have no such comparison, and are not parsed. */
const NEAR = new RegExp(`${NAMES}[)!\\s]*[!=]==?|[!=]==?[(\\s]*[\\w.?]*${NAMES}`, 'i');

const isSecret = (node: Node): boolean =>
  SECRET.test((node.type === 'MemberExpression' ? node.property?.name : node.name) ?? '');

const isConstant = (node: Node): boolean => /Literal$/.test(node.type) || node.name === 'undefined';

/** Returns the comparisons by `==` and `===` of a value with the name of a secret. */
export function secretsComparedIn(path: string, text: string): string[] {
  if (!NEAR.test(text)) return [];
  const found: string[] = [];
  const visit = (node: Node): void => {
    const { operator = '', left, right, start, end } = node;
    if (/^[!=]==?$/.test(operator) && left && right && !isConstant(left) && !isConstant(right))
      if (isSecret(left) || isSecret(right)) found.push(text.slice(start, end));
    for (const inside of Object.values(node).flat()) if (isNode(inside)) visit(inside);
  };
  visit(parseSync(path, text).program as unknown as Node);
  return found;
}
