import { metricNames } from '../../../shared/domain/metric.ts';
import { codeOf, filesBelow, read } from '../support/sources.ts';

describe('every metric', () => {
  const counts = filesBelow('shared/operations', '.ts').map(codeOf).join('\n');
  const expectations = filesBelow('test/unit/operations', '.ts').map(codeOf).join('\n');
  const runbook = read('docs/runbooks/alarms.md');

  it.each(metricNames)('%s is counted, even in a unit test, and has an alarm with a section of the runbook', (name) => {
    expect(counts).toMatch(new RegExp(`\\bcount\\('${name}'`));
    expect(expectations).toMatch(new RegExp(`'${name}'`));
    const [, section] =
      new RegExp(`\\b${name}:\\s*'[^']*Runbook: "([^"]+)"`).exec(codeOf('lib/stacks/observability.ts')) ?? [];
    expect(runbook).toContain(`\n## ${section}\n\n\`…-${name}\``);
  });
});
