import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DataStack } from '../../../lib/stacks/data.ts';
import { dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';
import { mentions } from '../support/resources.ts';
import { only, prod } from '../support/stages/prod.ts';
import { aStage, unchecked } from '../support/synthesize.ts';

describe('the dashboard', () => {
  it('requires a token of its client on every route except the session’s', () => {
    const free = ['sign-in', 'refresh-session', 'sign-out', 'request-password-reset', 'reset-password'];
    const { JwtConfiguration, AuthorizerType } = only('AWS::ApiGatewayV2::Authorizer').Properties;
    expect([AuthorizerType, JwtConfiguration.Audience.length]).toEqual(['JWT', 1]);
    expect(mentions(JwtConfiguration.Issuer, 'cognito-idp')).toBe(true);
    const open = prod
      .ofType('AWS::ApiGatewayV2::Route')
      .filter(({ Properties }) => Properties.RouteKey.includes('/api/dashboard') && !Properties.AuthorizerId);
    const listed = Object.entries(dashboardRoutes).filter(([name]) => free.includes(name));
    expect(open.map(({ Properties }) => Properties.RouteKey).sort()).toEqual(
      listed.map(([, { method, path }]) => `${method} /api/dashboard${path}`).sort(),
    );
    expect(listed.every(([, { role }]) => role === 'none')).toBe(true);
  });

  it('allows no registration, and gives a session 10 minutes at a time, for 7 days', () => {
    const pool = only('AWS::Cognito::UserPool').Properties;
    expect(pool).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      DeletionProtection: 'ACTIVE',
      MfaConfiguration: 'OPTIONAL',
      UsernameAttributes: ['email'],
      Policies: { PasswordPolicy: { MinimumLength: 12, TemporaryPasswordValidityDays: 7 } },
    });
    expect(only('AWS::Cognito::UserPoolClient').Properties).toMatchObject({
      ExplicitAuthFlows: ['ALLOW_ADMIN_USER_PASSWORD_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH'],
      GenerateSecret: false,
      PreventUserExistenceErrors: 'ENABLED',
      EnableTokenRevocation: true,
      AccessTokenValidity: 10,
      RefreshTokenValidity: 10_080,
      TokenValidityUnits: { AccessToken: 'minutes', RefreshToken: 'minutes' },
    });
  });

  // Cognito uses the template of codes for password resets, too (Cognito guide, "Configuring … verification messages").
  it('mails a person who forgot the password a code for a new one, and not for a new account', () => {
    const { EmailSubject, EmailMessage } = only('AWS::Cognito::UserPool').Properties.VerificationMessageTemplate;
    expect(EmailMessage).toContain('{####}');
    for (const text of [EmailSubject, EmailMessage]) {
      expect(text).toMatch(/password/);
      expect(text).not.toMatch(/account/);
    }
  });

  // Cognito's own e-mails are limited to 50 a day (Cognito guide, "Quotas").
  it('mails invitations and codes as the sender of notices if the stage names its identity, else by Cognito itself', () => {
    const emailsOf = (settings: object) => {
      const stage = aStage('prod', { mailFrom: 'notices@example.com', ...settings });
      const [pool] = Object.values(
        Template.fromStack(new DataStack(new App(unchecked), 'data', { stage })).findResources(
          'AWS::Cognito::UserPool',
        ),
      );
      return pool?.Properties.EmailConfiguration;
    };
    expect(emailsOf({})).toBeUndefined();
    for (const mailIdentity of ['example.com', 'notices@example.com']) {
      const emails = emailsOf({ mailIdentity });
      expect(emails).toMatchObject({ EmailSendingAccount: 'DEVELOPER', From: 'notices@example.com' });
      expect(JSON.stringify(emails.SourceArn)).toContain(`identity/${mailIdentity}"`);
    }
  });
});
