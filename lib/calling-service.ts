import type { App } from 'aws-cdk-lib';
import { names } from './names.ts';
import { CLOUDFRONT_REGION, requestedCertificates } from './own-names.ts';
import { ApiStack } from './stacks/api.ts';
import { CertificatesStack } from './stacks/certificates.ts';
import { DashboardStack } from './stacks/dashboard.ts';
import { DataStack } from './stacks/data.ts';
import { DeployerStack } from './stacks/deployer.ts';
import { EdgeStack } from './stacks/edge.ts';
import { MessagingStack } from './stacks/messaging.ts';
import { ObservabilityStack } from './stacks/observability.ts';
import { PagesStack } from './stacks/pages.ts';
import { WorkersStack } from './stacks/workers.ts';
import type { Stage } from './stage.ts';

/**
 * Creates all stacks of a stage. The stacks data and messaging contain state; edge and the certificates' stacks contain
 * the addresses; the others can be redeployed. They read each other's outputs and import no exports
 * (docs/decisions/0033-stacks-read-outputs.md).
 * @param site folder with the dashboard's pages.
 */
export function callingService(app: App, stage: Stage, site: string): void {
  const named = names(stage.name);
  const props = (part: string, region = stage.region) => ({
    stackName: named.stack(part),
    env: { region, ...(process.env.CDK_DEFAULT_ACCOUNT && { account: process.env.CDK_DEFAULT_ACCOUNT }) },
    terminationProtection: stage.isRetained,
  });
  const data = new DataStack(app, 'data', { ...props('data'), stage });
  const messaging = new MessagingStack(app, 'messaging', { ...props('messaging'), stage, alarms: data.alarms });
  const certificates = new Map(
    Object.entries(requestedCertificates(stage)).flatMap(([part, names]) => {
      if (names.length === 0) return [];
      const region = part === 'dashboard-certificate' ? CLOUDFRONT_REGION : stage.region;
      return [...new CertificatesStack(app, part, { ...props(part, region), stage, names }).certificates];
    }),
  );
  const edge = new EdgeStack(app, 'edge', { ...props('edge'), stage, data, certificates });
  const { publicUrl, dashboardUrl } = edge;
  const resources = { stage, data, messaging, publicUrl, dashboardUrl };
  const workers = new WorkersStack(app, 'workers', { ...props('workers'), ...resources });
  // New routes may send messages that the former workers cannot read.
  const api = new ApiStack(app, 'api', { ...props('api'), ...resources, edge });
  const dashboard = new DashboardStack(app, 'dashboard', { ...props('dashboard'), ...resources, edge });
  for (const routes of [api, dashboard]) routes.addStackDependency(workers);
  // New pages may call routes that former functions do not have.
  const pages = new PagesStack(app, 'pages', { ...props('pages'), stage, site, bucket: edge.pages });
  for (const routes of [api, dashboard]) pages.addStackDependency(routes);
  new ObservabilityStack(app, 'observability', { ...props('observability'), stage, data }).addStackDependency(workers);
  if (stage.deployFrom) new DeployerStack(app, 'deployer', { ...props('deployer'), stage, from: stage.deployFrom });
}
