import { CrossStackReferences, ReferenceStrength, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import { zoneOf } from '../own-names.ts';
import type { Stage } from '../stage.ts';

/** The certificates of the stage's own names, by name. */
export type Certificates = ReadonlyMap<string, ICertificate>;

/**
 * Certificates that the deployment requests, each for one name, in the region that reads them. CloudFormation waits
 * until their DNS records prove the names (docs/deploy.md, "Certificates").
 */
export class CertificatesStack extends Stack {
  readonly certificates: Certificates;

  constructor(
    scope: Construct,
    id: string,
    { stage, names, ...props }: StackProps & { stage: Stage; names: readonly string[] },
  ) {
    super(scope, id, props);
    this.certificates = new Map(names.map((name) => [name, this.#certificate(name, stage)]));
  }

  #certificate(name: string, stage: Stage): Certificate {
    const zone = zoneOf(stage, name);
    const certificate = new Certificate(this, name, {
      domainName: name,
      validation: CertificateValidation.fromDns(
        zone && HostedZone.fromHostedZoneAttributes(this, `${name}-zone`, zone),
      ),
    });
    certificate.applyRemovalPolicy(stage.isRetained ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY);
    // The default also stores the value in the region of the reader, which requires another function.
    CrossStackReferences.of(certificate).produce(ReferenceStrength.WEAK);
    return certificate;
  }
}
