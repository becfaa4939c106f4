import { useId } from 'react';
import { useWatch } from 'react-hook-form';
import { useMe } from '../../app/reads/me.ts';
import { TextField } from '../../parts/form/field.tsx';
import { languages, secondsOf } from '../../words/assistants/assistants.ts';
import { holdRange, rateInWords } from '../../words/assistants/rates.ts';
import { credits } from '../../words/times.ts';

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
        hint="The id of a voice of the voice platform, such as Neha or Elliot. Empty: Elliot."
      />
      <TextField
        name="language"
        label="Language"
        readOnly={isReader}
        list={list}
        autoComplete="off"
        hint="A code such as hi or en-IN. Empty: it understands several languages."
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
        hint="With its country code. It takes over when the person asks for a human being. Only a number that your organization may call. Empty: no transfer."
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
  const seconds = secondsOf(String(typed ?? ''));
  if (seconds === undefined) return <>Such as 10 or 2:30.</>;
  const [, most] = holdRange(org, seconds);
  return (
    <>
      A call costs at most <strong>{credits(most)} credits</strong> (a started minute: {rateInWords(org)}). The most
      that it may cost is held while it runs; what is not used comes back.
    </>
  );
}
