import { endSession, jsonOf, reach, refresh, sessionToken } from './session.ts';
import { say } from './words.ts';
import { instantOf } from './zone.ts';

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

/** The session ended; the person has to sign in again. */
export class SignedOut extends Error {}
/** What is shown is out of date, because somebody else, or the server, has changed the record. */
export class Overtaken extends Error {}

/** An error, as GraphQL returns it in `extensions` and REST in `error`. */
interface Problem {
  code?: string;
  error_type?: string;
  errors?: { field: string; message: string }[];
}

/**
 * Posts JSON with the session's token.
 * @throws SignedOut when the session is over; Overtaken if the record is in another state than shown; Error in the server's words
 */
async function post<T>(path: string, body: string, again = true): Promise<T> {
  const response = await reach(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${sessionToken()}` },
    body,
  });
  const answer = (await jsonOf(response)) as { data?: T; error?: Problem; errors?: { message: string; extensions?: Problem }[] };
  const [first] = answer.errors ?? [];
  const { code, error_type, errors: [item] = [] } = answer.error ?? first?.extensions ?? {};
  if (code === 'unauthorized') {
    if (again && error_type === 'invalid_token' && (await refresh())) return post(path, body, false);
    endSession();
    throw new SignedOut(say('session_over'));
  }
  const said = first?.message ?? (item ? `${item.field} ${item.message}` : code);
  if (code === 'conflict') throw new Overtaken(item?.message ?? said);
  if (said !== undefined || !answer.data) throw new Error(said ?? 'The server gave no answer.');
  return answer.data;
}

/** Sends a GraphQL document. @throws as `post` */
export const ask = <T>(query: string, variables: object = {}): Promise<T> => post('/graphql', JSON.stringify({ query, variables }));

const FIELDS = `id kind importedFor importReceivedAt state lastError attempts nextAttemptAt processedAt resultId resubmittedFrom supersededBy batchId batchIndex
  metadata payload warnings { code pointer given used }`;
export const PAGE_SIZE = 25;

export interface Family {
  /** `sandboxDay` is which day it is in a sandbox; of real companies it is absent. */
  companies: { id: string; legalName: string; timeZone: string; sandboxDay?: number }[];
}

/** The person who is signed in, and what they may do with the records of others. */
export interface Somebody {
  name: string;
  company: string;
  /** Sees the imports. */
  imports: boolean;
  /** Links tickets to loads, and corrects them. */
  links: boolean;
  /** Approves loads or days, or corrects tickets. */
  reviews: boolean;
  /** Plans work, and so sees where trucks are. */
  dispatches: boolean;
  /** Reads settlements of the company, and not only what they are paid. */
  bills: boolean;
  /** Says to whom the company sends what happens. */
  informs: boolean;
}

export async function readMyself(): Promise<Somebody> {
  const { me, myPermissions, company } = await ask<{
    me: { firstName: string; lastName: string };
    myPermissions: { name: string; own: boolean }[];
    company: { legalName: string };
  }>('{ me { firstName lastName } myPermissions { name own } company { legalName } }');
  const may = (...names: string[]) => myPermissions.some(({ name, own }) => names.includes(name) && !own);
  return {
    name: `${me.firstName} ${me.lastName}`.trim(),
    company: company.legalName,
    imports: may('view_imports'),
    links: may('edit_ticket'),
    reviews: may('edit_ticket', 'approve_load', 'approve_driver_day', 'edit_job'),
    dispatches: may('assign_job'),
    bills: may('view_settlements'),
    informs: may('manage_webhooks'),
  };
}

/** Returns the companies that the person may see, their own first. */
export async function readFamily(): Promise<Family['companies']> {
  const { own, companies, sandbox } = await ask<{
    own: Family['companies'][0];
    companies: { nodes: Family['companies'] };
    sandbox: { day: number } | null;
  }>(
    '{ own: company { id legalName timeZone } companies(first: 100) { nodes { id legalName timeZone } } sandbox: currentSandbox { day } }',
  );
  return [{ ...own, sandboxDay: sandbox?.day }, ...companies.nodes.filter(({ id }) => id !== own.id)];
}

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

/** Returns a file that only the session may read. @throws as `get` */
export const readFile = async (path: string): Promise<Blob> => (await get(path)).blob();

/** Reads what only the session may read. @throws SignedOut when the session is over; Error in the server's words @param path on this server */
async function get(path: string, again = true): Promise<Response> {
  const response = await reach(path, { headers: { Authorization: `Bearer ${sessionToken()}` } });
  if (response.ok) return response;
  const { error } = (await jsonOf(response)) as { error?: Problem };
  if (error?.code !== 'unauthorized') throw new Error(error?.errors?.[0]?.message ?? error?.code ?? 'The server gave no answer.');
  if (again && error.error_type === 'invalid_token' && (await refresh())) return get(path, false);
  endSession();
  throw new SignedOut(say('session_over'));
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
