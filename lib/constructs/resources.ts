import type { DataStack } from '../stacks/data.ts';
import type { MessagingStack } from '../stacks/messaging.ts';
import type { Stage } from '../stage.ts';

/** The resources that functions get: the parts of a stage that exist before them. */
export type Resources = {
  stage: Stage;
  data: DataStack;
  messaging: MessagingStack;
  /** Base of the addresses given to clients and remote systems. */
  publicUrl: string;
  /** Origin of the dashboard's pages. */
  dashboardUrl: string;
};
