import { App, Tags } from 'aws-cdk-lib';
import { bundleFunctions } from '../lib/bundle.ts';
import { callingService } from '../lib/calling-service.ts';
import { buildDashboardSite } from '../lib/dashboard-site.ts';
import { readStage } from '../lib/stage.ts';

const [site] = await Promise.all([buildDashboardSite(), bundleFunctions()]);
const app = new App();
const stage = readStage(app.node);
callingService(app, stage, site);
Tags.of(app).add('service', 'calling-service');
Tags.of(app).add('stage', stage.name);
app.synth();
