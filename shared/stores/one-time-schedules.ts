import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';

export type OneTimeSchedules = {
  /** EventBridge Scheduler group. */
  group: string;
  /** The target queue, and the role that may send to it. */
  queueArn: string;
  roleArn: string;
};

/**
 * Builds a function that sends a message to a queue at a later time than the queue's own delay allows. It is
 * idempotent: for an existing name, it does nothing.
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
