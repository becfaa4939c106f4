import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Function as CloudFrontFunction,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  OriginRequestPolicy,
  PriceClass,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { names } from '../names.ts';
import { isEmptied, type Stage } from '../stage.ts';
import { createEmptyingLog } from './emptying-log.ts';
import { siteHeaders } from './site-headers.ts';
import { WebFirewall } from './web-firewall.ts';

/**
 * The code that serves the same page at every address of the app. Such addresses have no dot; files have one.
 * CloudFront's error responses could do this, too, but would also replace the API's 403 and 404.
 */
const REWRITE = `function handler(event) {
  var request = event.request;
  if (request.uri.indexOf('.') === -1) request.uri = '/index.html';
  return request;
}`;

type SiteProps = {
  stage: Stage;
  /** Host name of the API, which answers below /api and /v1, and /openapi.json. */
  apiDomain: string;
  /** The origin of recordings. */
  filesOrigin: string;
  /** The dashboard's own name, with its certificate in CloudFront's region. */
  domain?: { name: string; certificate: ICertificate };
};

/** The bucket of the dashboard's pages and the API behind one address. The stack `pages` uploads the pages. */
export class Site extends Construct {
  readonly bucket: Bucket;
  readonly distribution: Distribution;

  constructor(scope: Construct, id: string, { stage, apiDomain, filesOrigin, domain }: SiteProps) {
    super(scope, id);
    const named = names(stage.name);
    this.bucket = new Bucket(this, 'pages', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      versioned: stage.isRetained,
      removalPolicy: stage.isRetained ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      autoDeleteObjects: isEmptied(stage),
    });
    createEmptyingLog(Stack.of(this), stage);
    const api: BehaviorOptions = {
      origin: new HttpOrigin(apiDomain),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // API Gateway selects the API by the Host header.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    };
    this.distribution = new Distribution(this, 'distribution', {
      ...(stage.webFirewall && { webAclId: new WebFirewall(this, 'firewall', stage).arn }),
      comment: named.stack('dashboard'),
      ...(domain && {
        domainNames: [domain.name],
        certificate: domain.certificate,
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      defaultRootObject: 'index.html',
      priceClass: PriceClass.PRICE_CLASS_200,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(this.bucket),
        viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: siteHeaders(this, named.stack('dashboard'), filesOrigin),
        functionAssociations: [
          {
            eventType: FunctionEventType.VIEWER_REQUEST,
            function: new CloudFrontFunction(this, 'addresses', {
              functionName: named.stack('addresses'),
              code: FunctionCode.fromInline(REWRITE),
              runtime: FunctionRuntime.JS_2_0,
            }),
          },
        ],
      },
      additionalBehaviors: { '/api/*': api, '/v1/*': api, '/openapi.json': api },
    });
  }
}
