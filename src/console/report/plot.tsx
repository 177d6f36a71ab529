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
import { type Column, titleOf } from './columns.ts';
import type { Group } from './report-data.ts';
import { seriesOf } from './series.ts';

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, LineController, LineElement, PointElement, Tooltip);

/** Distinguishable by people who do not see red and green apart (Okabe and Ito). */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#999999', '#f0e442'];

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
    const { labels, series } = seriesOf(groups, column);
    const datasets = series.map(({ label, data }, at) => ({
      ...{ label: label || title, data, backgroundColor: COLOURS[at], borderColor: COLOURS[at] },
    }));
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
