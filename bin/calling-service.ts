import { App, Tags } from 'aws-cdk-lib';
import { bundleFunctions } from '../lib/bundle.ts';
import { callingService } from '../lib/calling-service.ts';
import { readStage } from '../lib/stage.ts';

await bundleFunctions();
const app = new App();
const stage = readStage(app.node);
callingService(app, stage);
Tags.of(app).add('service', 'calling-service');
Tags.of(app).add('stage', stage.name);
app.synth();
