import { App, Tags } from 'aws-cdk-lib';
import { bundleFunctions } from '../lib/bundle.ts';
import { callingService } from '../lib/calling-service.ts';
import { buildDashboardSite } from '../lib/dashboard-site.ts';
import { readStage, type Stage } from '../lib/stage.ts';
import { StageError } from '../lib/stage-file.ts';
import { storeSourceMaps } from '../lib/stored-source-maps.ts';

const app = new App();
const stage = readOrEnd();
const [site] = await Promise.all([buildDashboardSite(), bundleFunctions()]);
callingService(app, stage, site);
await storeSourceMaps(app, stage);
Tags.of(app).add('service', 'calling-service');
Tags.of(app).add('stage', stage.name);
app.synth();

/** Ends the program with the message alone where the settings are wrong. */
function readOrEnd(): Stage {
  try {
    return readStage(app.node);
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
