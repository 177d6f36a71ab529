import type { ReportData } from './report-data.ts';

/** Days that somebody chose; empty for those of the report. */
export interface Days {
  from: string;
  to: string;
}

/** Returns where the data of the page's link is. @param what empty, or `/csv` */
export function addressOf({ from, to }: Days, what = ''): string {
  const given = new URLSearchParams(location.search);
  const query = new URLSearchParams({ signature: given.get('signature') ?? '' });
  if (from) query.set('from', from);
  if (to) query.set('to', to);
  return `/v1/report_pages/${encodeURIComponent(given.get('report') ?? '')}${what}?${query}`;
}

const REASONS: Record<number, string> = {
  403: 'You may not see what this report shows.',
  404: 'This link is over. Open the report again from where you found it.',
  422: 'These days cannot be read. Choose others.',
  429: 'Too many requests. Wait a few minutes.',
};

/** @throws Error in words for a person */
export async function readReport(days: Days): Promise<ReportData> {
  let response: Response;
  try {
    response = await fetch(addressOf(days), { headers: { Accept: 'application/json' } });
  } catch {
    throw new Error('The server cannot be reached. Try again.');
  }
  if (!response.ok) throw new Error(REASONS[response.status] ?? `The server answered ${response.status}. Try again.`);
  return ((await response.json()) as { data: ReportData }).data;
}
