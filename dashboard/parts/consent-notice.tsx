import { type ConsentReturn, consentInWords } from '../words/consent.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

type Props = {
  /** What the address says. */
  returned: ConsentReturn;
  /** Removes it from the address. */
  dismiss: () => void;
};

/** The sentence for somebody who comes back from a consent page. */
export function ConsentNotice({ returned, dismiss }: Props) {
  const words = consentInWords(returned);
  if (!words) return null;
  return (
    <div role="status">
      <Notice tone={words.kind} title={words.title} action={<Button onClick={dismiss}>Dismiss</Button>}>
        {words.text}
      </Notice>
    </div>
  );
}
