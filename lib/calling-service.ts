import type { App } from 'aws-cdk-lib';
import { names } from './names.ts';
import { ApiStack } from './stacks/api.ts';
import { DataStack } from './stacks/data.ts';
import { MessagingStack } from './stacks/messaging.ts';
import { ObservabilityStack } from './stacks/observability.ts';
import { WorkersStack } from './stacks/workers.ts';
import type { Stage } from './stage.ts';

/** All stacks of a stage. Data and messaging hold state; the others are disposable. */
export function callingService(app: App, stage: Stage): void {
  const named = names(stage.name);
  const props = (part: string) => ({
    stackName: named.stack(part),
    env: { region: stage.region, ...(process.env.CDK_DEFAULT_ACCOUNT && { account: process.env.CDK_DEFAULT_ACCOUNT }) },
    terminationProtection: stage.isRetained,
  });
  const data = new DataStack(app, 'data', { ...props('data'), stage });
  const messaging = new MessagingStack(app, 'messaging', { ...props('messaging'), stage, alarms: data.alarms });
  const api = new ApiStack(app, 'api', { ...props('api'), stage, data, messaging });
  const workers = new WorkersStack(app, 'workers', {
    ...props('workers'),
    stage,
    data,
    messaging,
    publicUrl: api.publicUrl,
  });
  new ObservabilityStack(app, 'observability', { ...props('observability'), stage, data }).addStackDependency(workers);
}
