import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';

export type OneTimeSchedules = {
  /** EventBridge Scheduler group. */
  group: string;
  /** The queue that gets the message, and the role that may put it there. */
  queueArn: string;
  roleArn: string;
};

/**
 * Puts messages on a queue at a time that its own delay cannot reach.
 * @returns a function that does nothing where a schedule of that name exists: asked twice, it is done once.
 */
export function oneTimeSchedules<T extends object>(
  scheduler: SchedulerClient,
  { group, queueArn, roleArn }: OneTimeSchedules,
) {
  return async (at: Date, name: string, message: T): Promise<void> => {
    try {
      await scheduler.send(
        new CreateScheduleCommand({
          Name: name,
          GroupName: group,
          ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
          ScheduleExpressionTimezone: 'UTC',
          FlexibleTimeWindow: { Mode: 'OFF' },
          ActionAfterCompletion: 'DELETE',
          Target: { Arn: queueArn, RoleArn: roleArn, Input: JSON.stringify(message) },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
    }
  };
}
