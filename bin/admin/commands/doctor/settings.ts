import { stageFile } from '../../../../lib/stage-file.ts';
import { type Check, failed, ok } from './check.ts';

/** Checks the stage's settings, which the next deployment uses. */
export const settings: Check = {
  name: 'settings',
  rights: 'lambda:GetFunctionConfiguration',
  async examine({ settings: read, cloud }) {
    const { stage } = cloud.place;
    if (stage === 'local') {
      await read();
      return [ok('npm start sets them.')];
    }
    try {
      const { region, isRetained } = await read();
      return [ok(`${stageFile(stage)} is valid: ${region}, data ${isRetained ? 'retained' : 'not retained'}.`)];
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'StageError') throw error;
      return [failed(error.message.replace(/\s+/g, ' '), `Edit ${stageFile(stage)}.`)];
    }
  },
};
