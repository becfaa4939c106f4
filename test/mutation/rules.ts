export type Rules = {
  /** Files whose mutants must be noticed, as patterns. */
  mutate: string[];
  /** The tests that must notice them, as patterns below test/unit, without `.test.ts`. */
  tests: string[];
};

/** The central rules: where a wrong line means a wrong call, a lost lead or a wrong charge. */
export const rules: Readonly<Record<string, Rules>> = {
  time: { mutate: ['shared/domain/time/*.ts'], tests: ['domain/time/*'] },
  credit: {
    mutate: ['shared/domain/organizations/{credit,ledger-entry}.ts'],
    tests: ['domain/organizations/{credit,ledger-entry}'],
  },
  leads: { mutate: ['shared/domain/leads/*.ts'], tests: ['domain/leads/*'] },
  calls: {
    mutate: ['shared/domain/calls/*.ts', '!shared/domain/calls/{callback-address,outbound-request}.ts'],
    tests: ['domain/calls/!(callback-address|outbound-request)'],
  },
  requests: {
    mutate: ['shared/domain/calls/{callback-address,outbound-request}.ts'],
    tests: ['domain/calls/{callback-address,outbound-request}'],
  },
};

/** The rules that one run of Stryker mutates. run.ts names them in the environment, which Stryker's workers inherit. */
export function chosenRules(): Rules & { name: string } {
  const name = process.env.MUTATED_RULES ?? '';
  const chosen = rules[name];
  if (!chosen) throw new Error(`MUTATED_RULES must be one of ${Object.keys(rules).join(', ')}`);
  return { ...chosen, name };
}
