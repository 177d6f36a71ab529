import { ask, get, post } from '../server/request.ts';
import { jsonOf } from '../server/session.ts';
import { dayIn, instantOf } from '../times/zone.ts';

/** The fields of an imported record that the page uses; the names are the schema's. */
export interface ImportedRecord {
  id: string;
  kind: string;
  importedFor: string | null;
  importReceivedAt: string;
  state: string;
  lastError: string | null;
  attempts: number;
  nextAttemptAt: string | null;
  processedAt: string | null;
  resultId: string | null;
  resubmittedFrom: string | null;
  supersededBy: string | null;
  batchId: string;
  batchIndex: number;
  metadata: unknown;
  payload: unknown;
  warnings: { code: string; pointer: string; given: unknown; used: unknown }[];
}

/** The state of the list. All of it is in the address, so that a view can be shared. */
export interface View {
  kind: string;
  state: string;
  search: string;
  after: string;
  before: string;
  cursor: string;
  company: string;
  /** The record shown next to the list. */
  record: string;
  /** Only records of this batch. */
  batch: string;
  /** `true` for records with warnings only, `false` for those without. */
  warned: string;
}

export interface Page {
  records: ImportedRecord[];
  next: string | null;
}

const FIELDS = `id kind importedFor importReceivedAt state lastError attempts nextAttemptAt processedAt resultId resubmittedFrom supersededBy batchId batchIndex
  metadata payload warnings { code pointer given used }`;
const PAGE_SIZE = 25;

/** @param zone of the company, in which the times of the view are */
export async function readPage(view: View, zone: string): Promise<Page> {
  const filter = { ...filterOf(view, zone), hasWarnings: view.warned === '' ? null : view.warned === 'true' };
  const { importedRecords } = await ask<{
    importedRecords: {
      nodes: ImportedRecord[];
      pageInfo: { hasNextPage: boolean; endCursor: string | null };
    };
  }>(
    `query($first: Int, $after: String, $company: ID, $filter: ImportedRecordFilter, $search: ImportedRecordSearch) {
      importedRecords(first: $first, after: $after, companyId: $company, filter: $filter, search: $search) {
        nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`,
    {
      first: PAGE_SIZE,
      after: view.cursor || null,
      company: view.company || null,
      filter,
      search: view.search ? { datagrid: view.search } : null,
    },
  );
  const { nodes, pageInfo } = importedRecords;
  return { records: nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
}

const filterOf = (view: View, zone: string) => ({
  kinds: view.kind ? [view.kind] : null,
  states: view.state ? [view.state] : null,
  receivedAfter: view.after ? instantOf(view.after, zone) : null,
  receivedBefore: view.before ? instantOf(view.before, zone) : null,
  batchId: view.batch || null,
});

/** The counts of records: by each state, and by whether there are warnings. */
const COUNTED = {
  ...{ created: { states: ['created'] }, processed: { states: ['processed'] }, failed: { states: ['failed'] } },
  ...{ exhausted: { states: ['exhausted'] }, skipped: { states: ['skipped'] }, skipped_update: { states: ['skipped_update'] } },
  warned: { hasWarnings: true },
};
/** The number of records in each state, and of those with warnings. From `at_least` on nobody counts. */
export type Counts = Record<keyof typeof COUNTED, { value: number; precision: 'exact' | 'at_least' }>;

/** Returns the counts of the list, whichever of its states and warnings are shown. @param zone of the company, in which the times of the view are */
export async function readCounts(view: View, zone: string): Promise<Counts> {
  const names = Object.keys(COUNTED) as (keyof Counts)[];
  const found = await ask<Record<keyof Counts, { count: Counts[keyof Counts] }>>(
    `query($company: ID, $search: ImportedRecordSearch, ${names.map((name) => `$${name}: ImportedRecordFilter`).join(', ')}) {
      ${names.map((name) => `${name}: importedRecords(first: 0, companyId: $company, filter: $${name}, search: $search) { count { value precision } }`).join(' ')} }`,
    {
      company: view.company || null,
      search: view.search ? { datagrid: view.search } : null,
      ...Object.fromEntries(names.map((name) => [name, { ...filterOf(view, zone), states: null, ...COUNTED[name] }])),
    },
  );
  return Object.fromEntries(names.map((name) => [name, found[name].count])) as Counts;
}

/** Returns the day on which an order is loaded, `YYYY-MM-DD` in the company's zone; undefined if it is gone, or may not be seen. */
export async function readDayOf(orderId: string, zone: string): Promise<string | undefined> {
  const { nodes } = await ask<{ nodes: ({ loadAt?: string } | null)[] }>(
    'query($id: ID!) { nodes(ids: [$id]) { ... on Order { loadAt } } }',
    {
      id: orderId,
    },
  );
  const loadAt = nodes[0]?.loadAt;
  return loadAt === undefined ? undefined : dayIn(zone, loadAt);
}

/** Returns what an import made or changed, as the API shows it. @throws as `get` @param path of the record, `/v1/orders/...` */
export async function readMade(path: string): Promise<unknown> {
  const { data } = (await jsonOf(await get(path))) as { data?: unknown };
  if (data === undefined) throw new Error('The server gave no answer.');
  return data;
}

/** Retries or skips every failed and exhausted record that the filters of the view name. @returns how many */
export async function replayAll(what: 'retry' | 'skip', view: View, zone: string): Promise<number> {
  const filter = filterOf(view, zone);
  // Without a filter the list shows a week, and nothing else is changed.
  const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const { done } = await ask<{ done: { count: number } }>(
    `mutation($filter: ImportReplayFilter!, $company: ID) { done: ${what}ImportedRecords(filter: $filter, companyId: $company) { count } }`,
    { filter: view.after || view.before ? filter : { ...filter, receivedAfter: weekAgo }, company: view.company || null },
  );
  return done.count;
}

export const readRecord = async (id: string, company: string): Promise<ImportedRecord> =>
  (
    await ask<{ importedRecord: ImportedRecord }>(
      `query($id: ID!, $company: ID) { importedRecord(id: $id, companyId: $company) { ${FIELDS} } }`,
      { id, company: company || null },
    )
  ).importedRecord;

export async function retry(id: string, company: string): Promise<void> {
  await ask('mutation($id: ID!, $company: ID) { retryImportedRecord(id: $id, companyId: $company) { id } }', {
    id,
    company: company || null,
  });
}

export async function skip(id: string, company: string): Promise<void> {
  await ask('mutation($id: ID!, $company: ID) { skipImportedRecord(id: $id, companyId: $company) { id } }', {
    id,
    company: company || null,
  });
}

/**
 * Sends a corrected payload as it was written. If it were parsed and written again, repeated fields would be lost, and the server could not
 * report them.
 * @param payload JSON
 */
export async function resubmit(id: string, payload: string, company: string): Promise<string> {
  const scope = company ? `/v1/companies/${company}` : '/v1';
  const { records } = await post<{ records: { id: string }[] }>(`${scope}/imported_records/${id}/resubmit`, `{"payload":${payload}}`);
  return records[0]!.id;
}
