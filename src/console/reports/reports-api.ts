import { ask } from '../server/request.ts';

/** A report, and what is asked of the catalogue for it; the names are the schema's. */
export interface ListedReport {
  id: string;
  name: string;
  system: boolean;
  reportCategory: { id: string; name: string };
}

interface Pages<T> {
  nodes: T[];
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
}

/** Reports of a category, by name. */
export interface Category {
  id: string;
  name: string;
  reports: ListedReport[];
}

/** Returns all reports of a company and the built-in ones, by category. */
export async function readReports(company: string): Promise<Category[]> {
  const categories = new Map<string, Category>();
  for (let after: string | null = null, more = true; more; ) {
    const { reports }: { reports: Pages<ListedReport> } = await ask(
      `query($company: ID, $after: String) { reports(companyId: $company, first: 100, after: $after) {
        nodes { id name system reportCategory { id name } } pageInfo { endCursor hasNextPage } } }`,
      { company: company || null, after },
    );
    for (const report of reports.nodes) {
      const { id, name } = report.reportCategory;
      const category = categories.get(id) ?? { id, name, reports: [] };
      category.reports.push(report);
      categories.set(id, category);
    }
    after = reports.pageInfo.endCursor;
    more = reports.pageInfo.hasNextPage;
  }
  return [...categories.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/** Returns where the page of a report is on this server. It opens for half an hour. */
export async function pageOf(report: string, company: string): Promise<string> {
  const { reportPage } = await ask<{ reportPage: { dashboardUrl: string } }>(
    'query($id: ID!, $company: ID) { reportPage(id: $id, companyId: $company) { dashboardUrl } }',
    { id: report, company: company || null },
  );
  const { pathname, search } = new URL(reportPage.dashboardUrl);
  return pathname + search;
}
