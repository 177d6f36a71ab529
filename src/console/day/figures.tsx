import { useEffect, useState } from 'react';
import { type Figure, readFigures } from './figures-api.ts';

interface Props {
  date: string;
  company: string;
  /** The state of the board: when it is another one, the figures are, too. */
  board: string;
  onFailed: (error: unknown) => void;
}

const NAMES: Record<string, string> = {
  jobs: 'Jobs',
  started_jobs: 'Started',
  on_time_starts: 'On time',
  loads: 'Loads',
  delivered_quantity: 'Delivered',
  ticketed_quantity: 'With tickets',
  cycle_minutes: 'Minutes from load to load',
};
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });

/** The figures of the day, as reports and exports have them. */
export function Figures({ date, company, board, onFailed }: Props) {
  const of = `${company} ${date}`;
  const [read, setRead] = useState<{ of: string; figures: Figure[] }>();
  useEffect(() => {
    let over = false;
    readFigures(date, company).then(
      (figures) => over || setRead({ of, figures }),
      (error) => over || onFailed(error),
    );
    return () => {
      over = true;
    };
  }, [of, date, company, board, onFailed]);
  const known = read?.of === of ? read.figures.filter(({ value }) => value !== null) : [];
  return (
    <dl className="figures" aria-label="Figures of the day">
      {known.map(({ measure, unit, value }) => (
        <div key={`${measure} ${unit}`}>
          <dt>{NAMES[measure]}</dt>
          <dd>
            {numbers.format(value as `${number}`)} {measure.endsWith('_quantity') && unit}
          </dd>
        </div>
      ))}
    </dl>
  );
}
