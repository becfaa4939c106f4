import { names } from '../names.ts';
import type { Use } from '../uses.ts';
import type { Resources } from './resources.ts';

/** Returns the value of a use's variable; undefined for an optional setting that the stage does not have. */
export function valueFor(use: Use, { stage, data, messaging, publicUrl, dashboardUrl }: Resources): string | undefined {
  switch (use.kind) {
    case 'table':
      return data.tables[use.table].tableName;
    case 'files':
      return data.files.bucketName;
    case 'queueUrl':
      return messaging.queues[use.queue].queueUrl;
    case 'queueArn':
      return messaging.queues[use.queue].queueArn;
    case 'secret':
      return names(stage.name).secret(use.secret);
    case 'key':
      return data.keys[use.key].keyArn;
    case 'bus':
      return messaging.bus.eventBusName;
    case 'model':
      return stage.modelId;
    case 'mailFrom':
      return stage.mailFrom;
    case 'schedulesGroup':
      return messaging.schedules[use.of].groupName;
    case 'schedulesRole':
      return messaging.schedules[use.of].role.roleArn;
    case 'userPool':
      return data.userPool.userPoolId;
    case 'userPoolClient':
      return data.userPoolClient.userPoolClientId;
    case 'setting': {
      const value = { ...stage, publicUrl, dashboardUrl }[use.setting];
      if (value === undefined && use.isOptional) return undefined;
      if (value === undefined) throw new Error(`the stage has no ${use.setting}`);
      return String(value);
    }
  }
}
