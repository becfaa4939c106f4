import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/notice.tsx';
import { consentInWords } from '../../words/consent.ts';

/** The sentence for somebody who comes back from a consent page. */
export function AfterConsent() {
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
