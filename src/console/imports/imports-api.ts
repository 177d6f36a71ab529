import { ask, get, post } from '../server/request.ts';
import { jsonOf } from '../server/session.ts';
import { instantOf } from '../times/zone.ts';

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
export const PAGE_SIZE = 25;

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

/** How many records of a batch are in each state, and how many have warnings. */
export type Counts = Record<'created' | 'processed' | 'failed' | 'exhausted' | 'skipped' | 'skippedUpdate' | 'warned', number>;

/** Returns the counts of a batch; of the last 24 hours without one. */
export async function readCounts(view: View): Promise<Partial<Counts>> {
  if (view.batch) {
    const { importBatch } = await ask<{ importBatch: { counts: Counts } }>(
      `query($id: ID!, $company: ID) { importBatch(id: $id, companyId: $company) {
        counts { created processed failed exhausted skipped skippedUpdate warned } } }`,
      { id: view.batch, company: view.company || null },
    );
    return importBatch.counts;
  }
  const { importStatus } = await ask<{ importStatus: { kinds: (Partial<Counts> & { kind: string })[] } }>(
    'query($company: ID) { importStatus(companyId: $company) { kinds { kind processed failed exhausted skipped warned } } }',
    { company: view.company || null },
  );
  const sums: Partial<Counts> = {};
  for (const { kind, ...counts } of importStatus.kinds)
    if (!view.kind || view.kind === kind)
      for (const [state, count] of Object.entries(counts)) sums[state as keyof Counts] = (sums[state as keyof Counts] ?? 0) + count;
  return sums;
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
