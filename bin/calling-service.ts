import { App, Tags } from 'aws-cdk-lib';
import { DISABLE_CREATION_STACK_TRACES, DISABLE_LOGICAL_ID_METADATA } from 'aws-cdk-lib/cx-api';
import { bundleFunctions } from '../lib/bundle.ts';
import { callingService } from '../lib/calling-service.ts';
import { buildDashboardSite } from '../lib/dashboard-site.ts';
import { tagsOf } from '../lib/names.ts';
import { readStage, type Stage } from '../lib/stage.ts';
import { StageError } from '../lib/stage-file.ts';
import { storeSourceMaps } from '../lib/stored-source-maps.ts';

const stage = readOrEnd();
// The local stage does not use the construct tree.
const app = new App({ treeMetadata: stage.name !== 'local' });
const [site] = await Promise.all([buildDashboardSite(), bundleFunctions()]);
// The CLI rereads this metadata for each event of a stack, which takes a quarter of its CPU time when it deploys into
// the local cloud.
if (stage.name === 'local')
  for (const metadata of [DISABLE_LOGICAL_ID_METADATA, DISABLE_CREATION_STACK_TRACES])
    app.node.setContext(metadata, true);
callingService(app, stage, site);
await storeSourceMaps(app, stage);
for (const [key, value] of Object.entries(tagsOf(stage.name))) Tags.of(app).add(key, value);
app.synth();

/** Ends the program with only the message if the settings are wrong. */
function readOrEnd(): Stage {
  try {
    return readStage(new App({ autoSynth: false }).node);
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
