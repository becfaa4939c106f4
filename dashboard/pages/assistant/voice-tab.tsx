import { useId } from 'react';
import { useWatch } from 'react-hook-form';
import { useMe } from '../../app/shared-queries/me.ts';
import { TextField } from '../../components/form/field.tsx';
import { languages, parseDuration } from '../../words/assistants/assistants.ts';
import { formatRate, holdRange } from '../../words/assistants/rates.ts';
import { formatCredits } from '../../words/times.ts';

/** The voice, the transfer number and the maximum duration. */
export function VoiceTab({ isReader }: { isReader: boolean }) {
  const list = useId();
  return (
    <>
      <TextField
        name="voice"
        label="Voice"
        readOnly={isReader}
        autoComplete="off"
        hint="The id of one of the voice platform’s voices, such as Rohan. Default: Elliot."
      />
      <TextField
        name="language"
        label="Language"
        readOnly={isReader}
        list={list}
        autoComplete="off"
        hint="A code such as hi or en-IN. If empty, the assistant understands several languages."
      />
      <datalist id={list}>
        {languages.map(([code, name]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </datalist>
      <TextField
        name="transfer_number"
        label="Transfer number"
        type="tel"
        readOnly={isReader}
        autoComplete="off"
        hint="With its country code. Calls are transferred to it if the person asks for a human. Your organization must be allowed to call it. If empty, calls are not transferred."
      />
      <TextField
        name="max_duration_seconds"
        label="Longest duration, in minutes"
        readOnly={isReader}
        autoComplete="off"
        hint={<HighestCost />}
      />
    </>
  );
}

/** The cost of a call of maximum duration, which every call holds until it ends. */
function HighestCost() {
  const { org } = useMe();
  const typed: unknown = useWatch({ name: 'max_duration_seconds' });
  const seconds = parseDuration(String(typed ?? ''));
  if (seconds === undefined) return <>Such as 10 or 2:30.</>;
  const [, most] = holdRange(org, seconds);
  return (
    <>
      A call costs at most <strong>{formatCredits(most)} credits</strong> (per started minute: {formatRate(org)}). The
      highest cost is held during the call; the unused part is returned.
    </>
  );
}
