import { PlainSelect } from '../form/field.tsx';

type Props = {
  label: string;
  value: string | undefined;
  options: readonly (readonly [value: string, name: string])[];
  onChoose: (value: string) => void;
};

/** A filter with few values. */
export const FilterSelect = ({ label, value = '', options, onChoose }: Props) => (
  <PlainSelect label={label} value={value} onChange={(event) => onChoose(event.target.value)}>
    <option value="">All</option>
    {options.map(([option, name]) => (
      <option key={option} value={option}>
        {name}
      </option>
    ))}
  </PlainSelect>
);
