import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Alarm, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FunctionName } from '../functions.ts';
import { names } from '../names.ts';
import { type CanaryMinutes, canaryMinutesOf, type Stage } from '../stage.ts';

/** The alias that triggers invoke. */
const ALIAS = 'live';

const configs: Record<CanaryMinutes, ILambdaDeploymentConfig> = {
  0: LambdaDeploymentConfig.ALL_AT_ONCE,
  10: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
  15: LambdaDeploymentConfig.CANARY_10PERCENT_15MINUTES,
};

/**
 * Deploys the functions of a stack by canaries: CodeDeploy gives a tenth of the work to the new version of a function,
 * and the rest a few minutes later, or returns all work to the former version if an alarm is raised (docs/deploy.md,
 * "Canaries").
 */
export class Canaries extends Construct {
  readonly #named: ReturnType<typeof names>;
  readonly #application: LambdaApplication;
  readonly #role: Role;
  readonly #minutes: CanaryMinutes;

  /** @returns undefined if the stage has no aliases @param part the name of the stack */
  static for(scope: Construct, part: string, stage: Stage): Canaries | undefined {
    const minutes = canaryMinutesOf(stage);
    return minutes === undefined ? undefined : new Canaries(scope, part, stage, minutes);
  }

  private constructor(scope: Construct, part: string, stage: Stage, minutes: CanaryMinutes) {
    super(scope, 'canaries');
    this.#named = names(stage.name);
    this.#minutes = minutes;
    this.#application = new LambdaApplication(this, 'application', { applicationName: this.#named.stack(part) });
    this.#role = new Role(this, 'role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    // CloudWatch checks this right for all alarms of the account, regardless of the alarms named.
    const alarms = Stack.of(this).formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: '*',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    this.#role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: [alarms] }));
  }

  /**
   * Creates a function's alias, and the deployment that shifts it to a new version.
   * @param alarms roll a new version back; other stacks' alarms are given by name @returns the alias, which its trigger
   * invokes
   */
  aliasOf(name: FunctionName, lambda: LambdaFunction, alarms: readonly (IAlarm | string)[]): IFunction {
    const alias = new Alias(lambda, ALIAS, { aliasName: ALIAS, version: lambda.currentVersion });
    const group = new LambdaDeploymentGroup(lambda, 'canary', {
      application: this.#application,
      deploymentGroupName: this.#named.function(name),
      alias,
      // The managed policy that the CDK would add reaches every function of the account.
      role: this.#role.withoutPolicyUpdates(),
      deploymentConfig: configs[this.#minutes],
      ignoreAlarmConfiguration: this.#minutes === 0,
      alarms: alarms.map((alarm) =>
        typeof alarm === 'string' ? Alarm.fromAlarmName(lambda, `named-${alarm}`, alarm) : alarm,
      ),
    });
    this.#role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
        resources: [lambda.functionArn, `${lambda.functionArn}:${ALIAS}`],
      }),
    );
    // CodeDeploy needs these rights before it can shift traffic.
    group.node.addDependency(this.#role);
    return alias;
  }
}
