import { useState } from 'react';
import {
  type DataCenter,
  DEFAULT_DATA_CENTER,
  dataCenters,
} from '../../../shared/domain/connections/access/data-center.ts';
import { beginConsent, type ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { useAction } from '../../app/query/use-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { rememberConsent } from '../../app/url/begun-consent.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { PlainSelect } from '../../components/form/field.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { dataCenterNames, requestedRights } from '../../words/connections/connections.ts';
import styles from './connection.module.css';

/** Long enough for the vendor's page to answer. */
const NAVIGATION_TIMEOUT_MILLISECONDS = 10_000;

type Props = { connection: ConnectionView; type: 'crm-b' | 'help-desk' };

/** Links to the vendor's page after explaining what it requests and whose rights count. */
export function Consent({ connection, type }: Props) {
  const me = useMe();
  const [dataCenter, setDataCenter] = useState(connection.data_center ?? DEFAULT_DATA_CENTER);
  const { run, isBusy, failure } = useAction();
  const { connection_id: id } = connection;
  const begin = () =>
    run(async () => {
      const { url } = await callApi(beginConsent, { params: { id }, body: { data_center: dataCenter as DataCenter } });
      rememberConsent(id);
      location.assign(url);
      // A second click before the page closes would start another consent. The page stays if the person cancels.
      await new Promise((resolve) => {
        addEventListener('pageshow', resolve, { once: true });
        setTimeout(resolve, NAVIGATION_TIMEOUT_MILLISECONDS);
      });
    });
  return (
    <div className={styles.consent}>
      {failure !== undefined && <ErrorNotice error={failure} />}
      <PlainSelect
        label="Zoho data center"
        hint="The region of your Zoho account: the address where you sign in ends with zoho.in, zoho.com or similar."
        value={dataCenter}
        onChange={(event) => setDataCenter(event.target.value)}
      >
        {dataCenters.map((one) => (
          <option key={one} value={one}>
            {dataCenterNames[one] ?? one}
          </option>
        ))}
      </PlainSelect>
      <div>
        <p>On the page that opens, Zoho asks for the right to:</p>
        <ul className={styles.rights}>
          {requestedRights[type].map((right) => (
            <li key={right}>{right}</li>
          ))}
        </ul>
      </div>
      <p className={styles.hint}>
        The service uses the rights of the person who consents: it cannot see what that person may not see. You have ten
        minutes, and Zoho then brings you back here. No system is connected until you confirm here who consented.
      </p>
      <div>
        <GuardedButton
          variant="primary"
          isBusy={isBusy}
          disabledReason={deniedReason(me, beginConsent)}
          onClick={begin}
        >
          Go to Zoho’s consent page
        </GuardedButton>
      </div>
    </div>
  );
}
