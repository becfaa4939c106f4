import { PlainField } from '../form/field.tsx';

type Props = {
  /** Days in India, `YYYY-MM-DD`. */
  range: { from?: string; to?: string };
  onDayChange: (name: 'from' | 'to', day: string) => void;
};

/** The first and the last day of a list. */
export const DayFields = ({ range: { from, to }, onDayChange }: Props) => (
  <>
    <PlainField
      label="From (day in India)"
      type="date"
      value={from ?? ''}
      max={to}
      onChange={(event) => onDayChange('from', event.target.value)}
    />
    <PlainField
      label="To (day in India)"
      type="date"
      value={to ?? ''}
      min={from}
      onChange={(event) => onDayChange('to', event.target.value)}
    />
  </>
);
