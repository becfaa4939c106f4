import { App, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CostBudget } from '../../lib/constructs/cost-budget.ts';
import { names } from '../../lib/names.ts';
import { unchecked } from '../infra/support/synthesize.ts';
import { deployTemplate } from './support/stack.ts';
import { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud?.stop());

test('the budget of a stage follows a changed amount and a changed address', async () => {
  const deploy = (monthly: number, email: string) => {
    // The emulator has no bootstrap stack.
    const synthesizer = new DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
    const stack = new Stack(new App(unchecked), 'costs', { synthesizer });
    new CostBudget(stack, 'costs', { named: names('prod'), monthly, email });
    return deployTemplate(cloud.cloudFormation, 'costs', Template.fromStack(stack).toJSON());
  };
  await deploy(40, 'alarms@example.com');
  await deploy(50, 'alarms@example.com');
  await deploy(50, 'operators@example.com');
});
