import { useMe } from '../../app/shared-queries/me.ts';
import { Card } from '../../components/layout/card.tsx';
import { Page } from '../../components/layout/page.tsx';
import { Time } from '../../components/text/time.tsx';
import { roleMeanings, roleNames } from '../../words/people/roles.ts';
import styles from './account.module.css';
import { Keyboard, Theme } from './appearance.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';

/** The person's own settings, as opposed to the organization's. */
export function Account() {
  const me = useMe();
  return (
    <Page title="Account" lead="Your own settings, independent of your organization.">
      <div className={styles.columns}>
        <div className={styles.stack}>
          <Card title="Profile">
            <Profile />
          </Card>
          <Card title="Password" lead="You stay signed in here after the change.">
            <Password />
          </Card>
        </div>
        <div className={styles.stack}>
          <Card title="Membership">
            <dl className={styles.facts}>
              <dt>Organization</dt>
              <dd>{me.org.name}</dd>
              <dt>Role</dt>
              <dd>
                {roleNames[me.role]}. {roleMeanings[me.role]}
              </dd>
              <dt>E-mail</dt>
              <dd>{me.email}</dd>
              <dt>Since</dt>
              <dd>
                <Time at={me.created_at} isDay />
              </dd>
            </dl>
          </Card>
          <Card title="Appearance">
            <Theme />
          </Card>
          <Card title="Keyboard">
            <Keyboard />
          </Card>
          <Card title="Sessions">
            <Sessions />
          </Card>
        </div>
      </div>
    </Page>
  );
}
