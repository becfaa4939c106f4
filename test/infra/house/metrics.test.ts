import { measures, metricNames } from '../../../shared/domain/metric.ts';
import { codeOf, filesBelow, read } from '../support/sources.ts';

const expectations = ['test/unit/operations', 'test/unit/alarms']
  .flatMap((folder) => filesBelow(folder, '.ts'))
  .map(codeOf)
  .join('\n');

describe('every metric', () => {
  const counts = filesBelow('shared/operations', '.ts').map(codeOf).join('\n');
  const runbook = read('docs/runbooks/alarms.md');

  it.each(metricNames)('%s is counted, even in a unit test, and has an alarm with a section of the runbook', (name) => {
    expect(counts).toMatch(new RegExp(`\\bcount\\('${name}'`));
    expect(expectations).toMatch(new RegExp(`'${name}'`));
    const [, section] =
      new RegExp(`\\b${name}:\\s*'[^']*Runbook: "([^"]+)"`).exec(codeOf('lib/stacks/observability.ts')) ?? [];
    expect(runbook).toContain(`\n## ${section}\n\n\`…-${name}\``);
  });
});

describe('every measure of an objective', () => {
  const names = [...codeOf('lib/constructs/objectives.ts').matchAll(/\bmetric\('(\w+)'/g)].map(([, name]) => name);

  it.each([...new Set(names)])('%s is a measure that a unit test of an operation expects', (name) => {
    expect(Object.keys(measures)).toContain(name);
    expect(expectations).toContain(`'${name}'`);
  });
});
