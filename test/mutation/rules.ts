/**
 * The central rules: where a wrong line means a wrong call, a lost lead or a wrong charge. Each set is a pattern of
 * files below shared/domain, whose mutants the tests of the same names below test/unit/domain must notice. Small sets
 * are quick: a mutant of a constant runs all tests of its set. Files that only choose what the dashboard shows are in
 * no set: tests of its routes and pages notice those.
 */
export const rules: Readonly<Record<string, string>> = {
  time: 'time/*',
  credit: 'organizations/@(countries|credit|destination-rule|ledger-entry)',
  leads: 'leads/@(crm-retry|lead|lead-decision|lead-of-call|recheck|release|sunday-retry)',
  // The calls: their dials, what the platform says about them, what is stored, shown and said, and requests for them.
  dials: 'calls/@(claim|day-claims|dial-*|new-call|platform-gate|scheduled-call|slot-*|waiting-turn)',
  platform: 'calls/@(absence|ending|platform-lookup|platform-message|recovery|turn|unfinished-call)',
  records: 'calls/@(analysis|call|spend-limit|withdrawal)',
  views: 'calls/@(call-activity|call-event|call-signature|call-status|call-view|conversation|crm-fields)',
  requests: 'calls/@(callback-address|outbound-request)',
};

/** The set that one run of Stryker mutates. run.ts names it in the environment, which Stryker's workers inherit. */
export function chosenRules(): { name: string; files: string } {
  const name = process.env.MUTATED_RULES ?? '';
  const files = rules[name];
  if (!files) throw new Error(`MUTATED_RULES must be one of ${Object.keys(rules).join(', ')}`);
  return { name, files };
}
