import { useMe } from '../../app/me.ts';
import { Card } from '../../parts/card.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { roleMeanings, roleNames } from '../../words/roles.ts';
import styles from './account.module.css';
import { Keyboard, Theme } from './appearance.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';

/** All that belongs to the person and not to the organization. */
export function Account() {
  const me = useMe();
  return (
    <Page title="Account" lead="What belongs to you, whatever your organization does.">
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
