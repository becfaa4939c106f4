import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { History, type LucideIcon, UserRound, Users } from 'lucide-react';
import { useId } from 'react';
import { inviteMember, listAuditEntries } from '../../../shared/messages/dashboard/people.ts';
import { useMe } from '../../app/me.ts';
import { refusal } from '../../app/rights.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { consentInWords } from '../../words/consent.ts';
import { greetingAt } from '../../words/greeting.ts';
import { regionName } from '../../words/regions.ts';
import { roleMeanings, roleNames } from '../../words/roles.ts';
import { credits } from '../../words/times.ts';
import styles from './home.module.css';

/** Where one lands: who, which organization, how much credit, and what to do here. */
export function Home() {
  const me = useMe();
  return (
    <Page title={`${greetingAt(new Date())}, ${me.name}`} lead="Here is how your organization stands.">
      <AfterConsent />
      {me.org.is_suspended && (
        <Notice tone="bad" title="Your organization is suspended.">
          No call is placed until the operator of the service lifts it.
        </Notice>
      )}
      <dl className={styles.tiles}>
        <Tile
          name="Organization"
          value={me.org.name}
          note={`Numbers without a country code are read as those of ${regionName(me.org.default_region)}.`}
        />
        <Tile
          name="Credits available"
          value={credits(me.org.available)}
          note={
            me.org.held > 0 ? `${credits(me.org.held)} more are held for running calls.` : 'No running call holds any.'
          }
        />
        <Tile name="Your role" value={roleNames[me.role]} note={roleMeanings[me.role]} />
      </dl>
      <Card title="What you can do here">
        <div className={styles.steps}>
          <Step
            icon={Users}
            title="Bring your team in"
            text="Invite the people who work with the calls. Each has a role that says what they may do."
            to="/settings/members"
            deed="Open Members"
            reason={refusal(me, inviteMember)}
          />
          <Step
            icon={History}
            title="See who changed what"
            text="Every change is recorded with its time, its person, and the values before and after."
            to="/settings/audit"
            deed="Open the audit log"
            reason={refusal(me, listAuditEntries)}
          />
          <Step
            icon={UserRound}
            title="Make it yours"
            text="Your name, your phone number for test calls, light or dark, and your password."
            to="/account"
            deed="Open Account"
          />
        </div>
      </Card>
    </Page>
  );
}

const Tile = ({ name, value, note }: { name: string; value: string; note: string }) => (
  <div className={styles.tile}>
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd className={styles.note}>{note}</dd>
  </div>
);

type StepProps = {
  icon: LucideIcon;
  title: string;
  text: string;
  to: '/settings/members' | '/settings/audit' | '/account';
  deed: string;
  reason?: string | undefined;
};

function Step({ icon: Icon, title, text, to, deed, reason }: StepProps) {
  const id = useId();
  return (
    <div className={styles.step}>
      <span className={styles.stepIcon}>
        <Icon aria-hidden="true" />
      </span>
      <h3>{title}</h3>
      <p>{text}</p>
      <div className={styles.deed}>
        {reason === undefined ? (
          <Link to={to} search={{}} className={buttonClass('secondary')}>
            {deed}
          </Link>
        ) : (
          <>
            <Button aria-disabled aria-describedby={id}>
              {deed}
            </Button>
            <span id={id} className={styles.reason}>
              {reason}
            </span>
          </>
        )}
      </div>
    </div>
  );
}

/** The sentence for somebody who comes back from a consent page. */
function AfterConsent() {
  const words = consentInWords(useSearch({ from: '/shell/' }));
  const navigate = useNavigate();
  if (!words) return null;
  return (
    <div role="status">
      <Notice
        tone={words.kind}
        title={words.title}
        action={<Button onClick={() => navigate({ to: '/', search: {}, replace: true })}>Dismiss</Button>}
      >
        {words.text}
      </Notice>
    </div>
  );
}
