import { useLayoutEffect, useRef } from 'react';
import { PlainField } from '../form/field.tsx';

type Props = {
  /** Days in India, `YYYY-MM-DD`. */
  range: { from?: string; to?: string };
  onDayChange: (name: 'from' | 'to', day: string) => void;
};

/** Limits the year to four digits. */
const LAST_DAY = '9999-12-31';

/** The first and the last day of a list. */
export const DayFields = ({ range: { from, to }, onDayChange }: Props) => (
  <>
    <DayField label="From (day in India)" day={from} max={to} onChange={(day) => onDayChange('from', day)} />
    <DayField label="To (day in India)" day={to} min={from} onChange={(day) => onDayChange('to', day)} />
  </>
);

type DayFieldProps = {
  label: string;
  day: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange: (day: string) => void;
};

/** Returns whether a field is empty or has a whole day. While the year is typed, its value is a day of the year 2. */
const isComplete = ({ value, validity }: HTMLInputElement): boolean =>
  !validity.badInput && (value === '' || value >= '1000');

/** A day, which applies when it is complete. */
function DayField({ label, day = '', min, max = LAST_DAY, onChange }: DayFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // Setting the value would interrupt the typing, so it is set only if it differs.
    if (field.current && field.current.value !== day) field.current.value = day;
  }, [day]);
  return (
    <PlainField
      ref={field}
      label={label}
      type="date"
      defaultValue={day}
      min={min}
      max={max}
      onChange={({ target }) => isComplete(target) && onChange(target.value)}
      onBlur={({ target }) => {
        if (!isComplete(target)) target.value = day;
      }}
    />
  );
}
