import { useEffect, useState } from 'react';
import { useFamily, useView } from '../frame/hooks.ts';
import { Page, type PageProps } from '../frame/page.tsx';
import { useProblem } from '../frame/problem.ts';
import { viewIn } from '../frame/view.ts';
import { type Category, pageOf, readReports } from './reports-api.ts';

const EMPTY = { company: '' };
const viewOf = (address: string): typeof EMPTY => viewIn(EMPTY, address);

/** The reports of a company by category. Each has a page of its own, which is opened for half an hour. */
export function Reports({ pages, onSignedOut }: PageProps) {
  const [{ company }, show] = useView(viewOf);
  const [found, setFound] = useState<{ of: string; categories: Category[] }>();
  const [opening, setOpening] = useState('');
  const [problem, failed, forget] = useProblem(onSignedOut);
  const { family } = useFamily(company, failed);
  useEffect(() => {
    let over = false;
    readReports(company).then(
      (categories) => over || setFound({ of: company, categories }),
      (error) => over || failed(error),
    );
    return () => {
      over = true;
    };
  }, [company, failed]);
  const open = async (id: string) => {
    forget();
    setOpening(id);
    try {
      location.assign(await pageOf(id, company));
    } catch (error) {
      setOpening('');
      failed(error);
    }
  };
  const categories = found?.of === company ? found.categories : undefined;
  const count = categories?.reduce((sum, { reports }) => sum + reports.length, 0);
  return (
    <Page
      title="Reports"
      skip={{ to: 'reports', name: 'Skip to the reports' }}
      pages={pages}
      family={family}
      company={company}
      onCompany={(company) => {
        forget();
        show({ company });
      }}
      onSignedOut={onSignedOut}
      filters={null}
      status={opening ? 'The report is opened.' : count !== undefined && `${count} ${count === 1 ? 'report' : 'reports'}.`}
      problems={[problem.text]}
    >
      <main id="reports" tabIndex={-1} className="reports">
        {categories?.map(({ id, name, reports }) => (
          <section key={id} aria-label={name}>
            <h2>{name}</h2>
            <ul className="jobs">
              {reports.map((report) => (
                <li key={report.id}>
                  <button type="button" className="link" onClick={() => void open(report.id)}>
                    {report.name}
                  </button>
                  {!report.system && <span className="meaning">of the company</span>}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </main>
    </Page>
  );
}
