import { createHash } from 'node:crypto';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';
import type { Names } from '../names.ts';

/**
 * The notices: AWS mails one when the actual spend of the month, or AWS's forecast of it, reaches the percentage of the
 * budget.
 */
const notices = [
  { type: 'ACTUAL', threshold: 80 },
  { type: 'ACTUAL', threshold: 100 },
  { type: 'FORECASTED', threshold: 100 },
] as const;

const CHARACTERS = 8;

type Props = {
  named: Names;
  /** In US dollars. */
  monthly: number;
  email: string;
};

/**
 * A monthly budget, whose notices AWS mails (docs/deploy.md, "The cost of an idle stage"). It covers the whole account:
 * a filter by tag would match no cost, and cause no notice, until the tag is activated for billing.
 */
export class CostBudget extends Construct {
  constructor(scope: Construct, id: string, { named, monthly, email }: Props) {
    super(scope, id);
    // CloudFormation replaces a budget whose notices change, and creates the new one before it removes the former.
    const version = createHash('sha256')
      .update(JSON.stringify([notices, email]))
      .digest('hex')
      .slice(0, CHARACTERS);
    new CfnBudget(this, 'budget', {
      budget: {
        budgetName: named.stack(`budget-${version}`),
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthly, unit: 'USD' },
      },
      notificationsWithSubscribers: notices.map(({ type, threshold }) => ({
        notification: {
          notificationType: type,
          comparisonOperator: 'GREATER_THAN',
          thresholdType: 'PERCENTAGE',
          threshold,
        },
        subscribers: [{ subscriptionType: 'EMAIL', address: email }],
      })),
    });
  }
}
