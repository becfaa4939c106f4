/**
 * The central rules: a wrong line causes a wrong call, a lost lead or a wrong charge. Each set is a pattern of files
 * below shared/domain, whose mutants the tests of the same names below test/unit/domain must notice. Small sets are
 * quick, because a mutant of a constant runs all tests of its set. Files that only select data for the dashboard are in
 * no set: the tests of its routes and pages cover those.
 */
export const rules: Readonly<Record<string, string>> = {
  time: 'time/*',
  numbers: 'text/@(national-number|phone-number)',
  credit: 'organizations/@(countries|credit|destination-rule|ledger-entry)',
  leads:
    '{connections/sunday-retry,leads/@(crm-retry|lead|lead-decision|lead-of-call|lead-states|other-call|recheck|release|stopped-lead)}',
  // Slow or unavailable systems: a CRM, a watch channel, a receiver of notifications, call logs, notes and tickets.
  outages: 'connections/{crm-breaker,deliveries/watch-channel}',
  receivers:
    'after-call/{receiver,callbacks/@(callback-hosts|callback-schedule|callback-step),remote-writes/@(remote-writing|write-outcome)}',
  // The calls: their dials, the platform's reports, the stored, shown and spoken data, and requests for them.
  dials:
    'calls/{dialing/@(cancel-claim|claim|day-claims|dial-*|scheduled-call|sunday-claim),placing/new-call,platform/platform-gate,slots/*}',
  platform: 'calls/{@(absence|ending),platform/@(platform-lookup|platform-message|reported-times),recovery/*}',
  records: 'calls/{@(analysis|call),dialing/@(spend-limit|lead-end)}',
  views: 'calls/{call-@(activity|event|status|view),conversation/@(conversation|crm-fields),platform/call-signature}',
  requests: 'calls/placing/@(callback-address|outbound-request)',
};

/** The set that one run of Stryker mutates. run.ts puts it into the environment, which Stryker's workers inherit. */
export function chosenRules(): { name: string; files: string } {
  const name = process.env.MUTATED_RULES ?? '';
  const files = rules[name];
  if (!files) throw new Error(`MUTATED_RULES must be one of ${Object.keys(rules).join(', ')}`);
  return { name, files };
}
