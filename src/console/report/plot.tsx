import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { useEffect, useRef } from 'react';
import type { Group } from './report-api.ts';
import { amountOf, type Column, nameOf, titleOf } from './table.tsx';

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, LineController, LineElement, PointElement, Tooltip);

/** Distinguishable by people who do not see red and green apart (Okabe and Ito). */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#999999', '#f0e442'];
/** More lines than that cannot be distinguished: the table has the others. */
const MOST_SERIES = 8;

interface Props {
  kind: 'bar' | 'line';
  column: Column;
  groups: readonly Group[];
}

/** One measure over the first key; the other keys are its series. */
export function Plot({ kind, column, groups }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const title = titleOf(column);
  useEffect(() => {
    const labels = [...new Set(groups.map((group) => nameOf(group, 0)))];
    const bySeries = Map.groupBy(groups, (group) =>
      group.keys
        .slice(1)
        .map((_, at) => nameOf(group, at + 1))
        .join(', '),
    );
    const datasets = [...bySeries].slice(0, MOST_SERIES).map(([label, of], at) => {
      const values = new Map(of.map((group) => [nameOf(group, 0), amountOf(group.values, column)]));
      const data = labels.map((name) => (values.get(name) == null ? null : Number(values.get(name))));
      return { label: label || title, data, backgroundColor: COLOURS[at], borderColor: COLOURS[at] };
    });
    const chart = new Chart(canvas.current!, {
      type: kind,
      data: { labels, datasets },
      options: {
        animation: false,
        maintainAspectRatio: false,
        plugins: { legend: { display: datasets.length > 1 } },
        scales: { y: { beginAtZero: true } },
      },
    });
    return () => chart.destroy();
  }, [kind, column, groups, title]);
  return (
    <figure className="plot">
      <figcaption>{title}</figcaption>
      <div className="plot-area">
        <canvas ref={canvas} role="img" aria-label={`${title}, drawn; the table below has the numbers`} />
      </div>
    </figure>
  );
}
