import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { useTitle } from '../frame/title.ts';
import { columnsOf, titleOf, wordsOf } from './columns.ts';
import { Plot } from './plot.tsx';
import { addressOf, type Days, readReport } from './report-api.ts';
import type { ReportData } from './report-data.ts';
import { Table } from './table.tsx';

/** The page of a report, to whoever has its link. */
export function Report() {
  const [days, setDays] = useState<Days>({ from: '', to: '' });
  const [report, setReport] = useState<ReportData>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isLatest = true;
    readReport(days).then(
      (read) => {
        if (!isLatest) return;
        setReport(read);
        setProblem('');
      },
      (error: Error) => isLatest && setProblem(error.message),
    );
    return () => {
      isLatest = false;
    };
  }, [days]);
  useTitle(report?.name ?? 'Report', 'en');
  return (
    <main className="report">
      {problem && <p role="alert">{problem}</p>}
      {report && <Shown report={report} days={days} onDays={setDays} />}
    </main>
  );
}

function Shown({ report, days, onDays }: { report: ReportData; days: Days; onDays: (days: Days) => void }) {
  const columns = useMemo(() => columnsOf(report), [report]);
  const { chart, groups, group_by: groupBy, measures, left_out: leftOut, archived } = report;
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onDays({ from: String(form.get('from')), to: String(form.get('to')) });
  };
  return (
    <>
      <header className="report-head">
        <h1>{report.name}</h1>
        <p className="report-days">
          {report.from} to {report.to}, days of {report.time_zone}
        </p>
        <form onSubmit={choose} key={`${report.from} ${report.to}`}>
          <label>
            From <input type="date" name="from" defaultValue={report.from} required />
          </label>
          <label>
            To <input type="date" name="to" defaultValue={report.to} required />
          </label>
          <button type="submit">Show</button>
          <button type="button" onClick={() => print()}>
            Print
          </button>
          <a href={addressOf(days, '/csv')} download>
            CSV
          </a>
        </form>
      </header>
      {leftOut.length > 0 && <p>You may not see these of its measures: {leftOut.map(wordsOf).join(', ')}.</p>}
      {archived && (
        <p role="status">What was before {archived.before.slice(0, 10)} is archived, so that these numbers are of what came later.</p>
      )}
      {report.more && <p role="status">There are more groups than fit here. Choose fewer days.</p>}
      {groups.length === 0 && <p role="status">There is nothing in these days.</p>}
      {chart !== 'none' && groupBy.length > 0 && groups.length > 0 && (
        <section className="plots" aria-label="Plots">
          {columns.map((column) => (
            <Plot key={titleOf(column)} kind={chart} column={column} groups={groups} />
          ))}
        </section>
      )}
      <Table report={report} columns={columns} />
      <dl className="report-notes">
        {measures.map(({ measure, description }) => (
          <div key={measure}>
            <dt>{wordsOf(measure)}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
