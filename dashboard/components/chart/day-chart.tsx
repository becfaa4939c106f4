import { lazy, Suspense, useState } from 'react';
import { formatCalendarDay, formatDayAndMonth } from '../../words/times.ts';
import { SegmentedControl } from '../button/segmented-control.tsx';
import { classNames } from '../class-names.ts';
import { Table } from '../list/table.tsx';
import { ErrorBoundary } from '../message/error-boundary.tsx';
import styles from './day-chart.module.css';

/** Loaded after the figures: the charts' library is larger than the page. */
const DayBars = lazy(async () => ({ default: (await import('./day-bars.tsx')).DayBars }));

/** A row of the chart: its day (`YYYY-MM-DD` in India), and a number for each series. */
type DayRow<Key extends string> = { day: string } & Record<Key, number>;

type Series<Key extends string> = { key: Key; name: string };

type DayChartProps<Key extends string> = {
  /** The chart's caption. */
  caption: string;
  series: readonly Series<Key>[];
  rows: readonly DayRow<Key>[];
  format: (value: number) => string;
  /** Summarizes the days in one sentence, for people who do not see the bars. */
  summary: string;
};

const views = [
  ['chart', 'Chart'],
  ['table', 'Table'],
] as const;

/** Daily numbers as bars, or as a table with the same figures. */
export function DayChart<Key extends string>({ caption, series, rows, format, summary }: DayChartProps<Key>) {
  const [view, setView] = useState<'chart' | 'table'>('chart');
  if (rows.every((row) => series.every(({ key }) => row[key] === 0)))
    return <p className={styles.empty}>There is nothing to show for these days yet.</p>;
  return (
    <div className={styles.chart}>
      <div className={styles.head}>
        <SegmentedControl label={`${caption}: show as`} options={views} value={view} onChoose={setView} />
      </div>
      {view === 'table' ? (
        <DayTable caption={caption} series={series} rows={rows} format={format} />
      ) : (
        <div
          role="img"
          aria-label={`${caption}. ${summary} The table has the figures of each day.`}
          className={styles.bars}
        >
          <ErrorBoundary fallback={<p>The chart cannot be loaded. The table shows the same figures.</p>}>
            <Suspense fallback={null}>
              <DayBars
                series={series}
                rows={rows.map((row) => ({ ...row, label: formatDayAndMonth(row.day) }))}
                format={format}
              />
            </Suspense>
          </ErrorBoundary>
        </div>
      )}
      {view === 'chart' && series.length > 1 && <Legend series={series} />}
    </div>
  );
}

const Legend = <Key extends string>({ series }: { series: readonly Series<Key>[] }) => (
  <ul className={styles.legend} aria-hidden="true">
    {series.map(({ key, name }, index) => (
      <li key={key}>
        <span className={classNames(styles.swatch, styles[`color${index + 1}`])} />
        {name}
      </li>
    ))}
  </ul>
);

const DayTable = <Key extends string>({ caption, series, rows, format }: Omit<DayChartProps<Key>, 'summary'>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it must scroll by keyboard.
  <section className={styles.table} aria-label={`${caption}, each day`} tabIndex={0}>
    <Table caption={caption} columns={['Day', ...series.map(({ name }) => name)]} isDense>
      {rows.toReversed().map((row) => (
        <tr key={row.day}>
          <td>{formatCalendarDay(row.day)}</td>
          {series.map(({ key, name }) => (
            <td key={key} data-label={name} className={styles.number}>
              {format(row[key])}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  </section>
);
