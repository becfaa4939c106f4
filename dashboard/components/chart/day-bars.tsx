import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { classNames } from '../class-names.ts';
import styles from './day-chart.module.css';

type Row = { day: string; label: string };
type Series = { key: string; name: string };
type Props = { series: readonly Series[]; rows: readonly Row[]; format: (value: number) => string };

/** The number of labels that fit below the bars on a phone. */
const MAX_LABELS = 6;
const AXIS = { stroke: 'var(--line-control)', tick: { fill: 'var(--muted)', fontSize: 12 }, tickLine: false } as const;

/** Stacked bars, one per day. Its library is in a separate script. */
export function DayBars({ series, rows, format }: Props) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart
        data={rows as Row[]}
        accessibilityLayer={false}
        margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
        barCategoryGap="18%"
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis dataKey="label" {...AXIS} interval={Math.ceil(rows.length / MAX_LABELS) - 1} />
        <YAxis {...AXIS} width="auto" allowDecimals={false} axisLine={false} tickFormatter={format} />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--hover)' }}
          content={({ active, payload, label }) =>
            active ? <DayTooltip title={String(label)} values={payload} series={series} format={format} /> : null
          }
        />
        {series.map(({ key, name }, index) => (
          <Bar
            key={key}
            dataKey={key}
            name={name}
            stackId="day"
            fill={`var(--chart-${index + 1})`}
            isAnimationActive={false}
            maxBarSize={48}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}

type DayTooltipProps = Pick<Props, 'series' | 'format'> & {
  title: string;
  values: readonly { dataKey?: unknown; value?: unknown }[];
};

const DayTooltip = ({ title, values, series, format }: DayTooltipProps) => (
  <div className={styles.tooltip}>
    <strong>{title}</strong>
    {series.map(({ key, name }, index) => {
      const value = Number(values.find(({ dataKey }) => dataKey === key)?.value ?? 0);
      if (value === 0 && series.length > 1) return null;
      return (
        <span key={key} className={styles.tooltipLine}>
          <span className={classNames(styles.swatch, styles[`color${index + 1}`])} />
          {name} {format(value)}
        </span>
      );
    })}
  </div>
);
