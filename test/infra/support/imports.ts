import { dirname, join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export type Import = {
  /** The importing file. */
  from: string;
  /** The imported file as a path from the root of the checkout, or the package's name. */
  to: string;
  isPackage: boolean;
  isTypeOnly: boolean;
};

/** Dynamic imports and those inside types, even with a comment between the words. */
const IN_TREE = /\bimport\s*[(/]/;

type Target = { to: string; isTypeOnly: boolean };

/**
 * Lists every import of a file: of values and types, dynamic ones, those inside types, and `export … from`.
 *
 * A dynamic import of a computed target is listed as the package `(computed)`, which no rule of a layer allows.
 *
 * @throws if the code has a syntax error
 */
export function importsIn(from: string, code: string): Import[] {
  return targetsIn(from, code).map(({ to, isTypeOnly }) => {
    const isPackage = !to.startsWith('.');
    return { from, to: isPackage ? to : join(dirname(from), to), isPackage, isTypeOnly };
  });
}

function targetsIn(from: string, code: string): Target[] {
  const parsed = parseSync(from, code);
  const { module, errors } = parsed;
  if (errors.length > 0) throw new Error(`${from}: ${errors[0]?.message}`);

  const targets: Target[] = module.staticImports.map(({ moduleRequest, entries }) => ({
    to: moduleRequest.value,
    isTypeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType } of entries)
      if (moduleRequest) targets.push({ to: moduleRequest.value, isTypeOnly: isType });

  // The tree is made when it is read, which takes most of the time.
  if (!IN_TREE.test(code)) return targets;
  new Visitor({
    ImportExpression({ source }) {
      targets.push({ to: source.type === 'Literal' ? String(source.value) : '(computed)', isTypeOnly: false });
    },
    TSImportType({ source }) {
      targets.push({ to: source.value, isTypeOnly: true });
    },
  }).visit(parsed.program);
  return targets;
}
