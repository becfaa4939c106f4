import { operatorOf } from '../../../bin/admin/cloud/operator.ts';
import { awsSimulator } from '../../support/admin/aws-simulator.ts';
import { closeServers } from '../../support/loopback.ts';

afterEach(closeServers);

const ARN = 'arn:aws:sts::123456789012:assumed-role/operators/ravi';

const operatorAt = async (xml: string) => {
  const { url: endpoint } = await awsSimulator({ GetCallerIdentity: { xml } });
  const credentials = { accessKeyId: 'k', secretAccessKey: 's' };
  return operatorOf('ravi', { endpoint, region: 'us-east-1', credentials });
};

describe('the operator who runs a changing command', () => {
  it('has the ARN that AWS derives from the credentials, besides a name that can be set to anything', async () => {
    const identity = `<Arn>${ARN}</Arn><UserId>AROA:ravi</UserId><Account>123456789012</Account>`;
    expect(await operatorAt(identity)).toEqual({ kind: 'operator', name: 'ravi', arn: ARN });
  });

  it('runs no command if AWS does not name them', async () => {
    await expect(operatorAt('<Account>123456789012</Account>')).rejects.toThrow('AWS does not say who runs');
  });
});
