import { useNavigate, useSearch } from '@tanstack/react-router';
import { ConsentNotice } from '../../components/message/consent-notice.tsx';

export function AfterConsent() {
  const navigate = useNavigate();
  const dismiss = () => navigate({ to: '/', search: {}, replace: true });
  return <ConsentNotice returned={useSearch({ from: '/shell/' })} onDismiss={dismiss} />;
}
