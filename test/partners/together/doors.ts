import { expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Dice } from '../../helpers/properties.ts';
import type { Json, Reader } from './scene.ts';

/** The lists of REST below a company, with the type of their records as the facts call it. */
export const LISTS = {
  '/orders': 'Order',
  '/jobs': 'Job',
  '/sites': 'Site',
  '/equipment': 'Equipment',
  '/drivers': 'driver',
  '/foremen': 'foreman',
  '/company_shares': 'CompanyShare',
  '/tickets': 'Ticket',
} as const;
export type List = keyof typeof LISTS;

/** The path of one record over REST. */
export const PATHS: Readonly<Record<string, (reader: Reader, id: string) => string>> = {
  Order: ({ side }, id) => side.path(`/orders/${id}`),
  Job: ({ side }, id) => side.path(`/jobs/${id}`),
  Load: (_, id) => `/v1/loads/${id}`,
  JobAssignment: (_, id) => `/v1/job_assignments/${id}`,
  CompanyShare: ({ side }, id) => side.path(`/company_shares/${id}`),
  Site: ({ side }, id) => side.path(`/sites/${id}`),
  Equipment: ({ side }, id) => side.path(`/equipment/${id}`),
  driver: ({ side }, id) => side.path(`/drivers/${id}`),
  foreman: ({ side }, id) => side.path(`/foremen/${id}`),
  Ticket: (_, id) => `/v1/tickets/${id}`,
  Invoice: ({ side }, id) => side.path(`/invoices/${id}`),
  Settlement: ({ side }, id) => side.path(`/settlements/${id}`),
  FileAttachment: (_, id) => `/v1/file_attachments/${id}`,
};

/** Everything that somebody was answered, to look for words in it that they may not read. */
export interface Heard {
  reader: Reader;
  texts: string[];
}

const get = (reader: Reader, path: string, accept = 'application/json') =>
  reader.side.app.http('GET', path, { token: reader.token, headers: { Accept: accept } });

/** All pages of a list over REST. @param query filters and a search */
export async function listed(heard: Heard, path: string, query = ''): Promise<Json[]> {
  const all: Json[] = [];
  for (let at: string | undefined = `${path}?page[limit]=100${query}`; at; ) {
    const { status, body, headers } = await get(heard.reader, at);
    expect([heard.reader.name, at, status, status < 300 ? undefined : body]).toEqual([heard.reader.name, at, 200, undefined]);
    all.push(...body.data);
    heard.texts.push(JSON.stringify(body.data));
    at = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  return all;
}

/** The ids that a sheet of the same list has, in its order. */
export async function inSheet(heard: Heard, path: string, query = ''): Promise<string[]> {
  const { status, body } = await get(heard.reader, `${path}?page[limit]=100${query}`, 'text/csv');
  expect([heard.reader.name, path, status]).toEqual([heard.reader.name, path, 200]);
  heard.texts.push(String(body));
  return (parse(String(body), { bom: true, columns: true }) as Json[]).map(({ id }) => id);
}

/** One record over REST; undefined if there is none for the reader. A former id answers with the record that stayed. */
export async function single(heard: Heard, type: string, id: string): Promise<Json | undefined> {
  const path = PATHS[type]!(heard.reader, id);
  const { status, body } = await get(heard.reader, path);
  heard.texts.push(JSON.stringify(body));
  // A type that somebody may read nothing of is refused; for the others there is nothing.
  expect([heard.reader.name, path, [200, 403, 404].includes(status) ? 'answered' : status]).toEqual([heard.reader.name, path, 'answered']);
  return status === 200 ? body.data : undefined;
}

async function ask(heard: Heard, query: string, variables: object = {}): Promise<Json> {
  const { body } = await heard.reader.side.app.graphql(query, variables as Record<string, unknown>, { token: heard.reader.token });
  expect([heard.reader.name, query, body.errors]).toEqual([heard.reader.name, query, undefined]);
  heard.texts.push(JSON.stringify(body.data));
  return body.data;
}

/** What GraphQL finds by ids of any type, by id. */
export async function nodes(heard: Heard, ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < ids.length; from += 25) {
    const some = ids.slice(from, from + 25);
    const { nodes: all } = await ask(heard, 'query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids: some });
    for (const [at, node] of (all as Json[]).entries()) if (node) found.set(some[at]!, node.id);
  }
  return found;
}

/** The lists of GraphQL, by the type of the facts. */
export const GRAPHQL_LISTS = {
  orders: 'Order',
  jobs: 'Job',
  loads: 'Load',
  sites: 'Site',
  equipmentList: 'Equipment',
  drivers: 'driver',
  foremen: 'foreman',
  companyShares: 'CompanyShare',
  tickets: 'Ticket',
} as const;

/** All nodes of a list over GraphQL, which must be as many as it counts. */
export async function counted(heard: Heard, field: string, fields: string, given = ''): Promise<Json[]> {
  const all: Json[] = [];
  for (let after: string | null = null; ; ) {
    const query = `query($company: ID, $after: String) { list: ${field}(companyId: $company, first: 50, after: $after${given}) { nodes { ${fields} }
      count(exact: true) { value } pageInfo { hasNextPage endCursor } } }`;
    const { list } = await ask(heard, query, { company: heard.reader.side.company.id, after });
    all.push(...list.nodes);
    if (!list.pageInfo.hasNextPage) {
      expect([heard.reader.name, field, given, list.count.value]).toEqual([heard.reader.name, field, given, all.length]);
      return all;
    }
    after = list.pageInfo.endCursor;
  }
}

/** Fields of work over GraphQL that have values of their own, and name other records. */
const LOAD = `id loadId state quantity unitOfMeasure ordinality notes version approved job { id } foremen { id } material { id } ticket { id quantity }
  waypoints { ordinality site { id name } } company { id }`;
const LINK = 'id rateValue rateType customerAccount { id name } vendorAccount { id name }';
const JOB = `id jobId state notes quantity loadsCount jobStartAt version stateEvents customerRateValue vendorRateValue driverRateValue driver { id lastName }
  equipment { id name } material { id name } company { id } order { id } project { id } waypoints { ordinality site { id name } }
  jobAssignments { ${LINK} } vendorJobAssignment { id } customerJobAssignment { id }`;
const ORDER = `id orderId state notes internalNotes externalId quantity truckCount version stateEvents customerRateValue vendorRateValue company { id }
  account { id name } project { id } waypoints { ordinality site { id name } } orderSummary { jobsCount loadsCount } sendingAccounts { id name }`;

/** What GraphQL says of work: by itself, in lists, and in what it is a part of. */
export async function compareWork(heard: Heard, dice: Dice): Promise<void> {
  const orders = await counted(heard, 'orders', ORDER);
  const jobs = await counted(heard, 'jobs', JOB);
  const loads = await counted(heard, 'loads', LOAD);
  const by = heard.reader.name;
  const sorted = (all: Json[]) => [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (let i = 0; i < 3 && orders.length > 0; i++) {
    const order = dice.of(orders);
    const query = `query($id: ID!) { order(id: $id) { ${ORDER} jobs(first: 50) { nodes { ${JOB} loads(first: 50) { nodes { ${LOAD} } count(exact: true) { value } } }
      count(exact: true) { value } } } }`;
    const { order: whole } = await ask(heard, query, { id: order.id });
    const { jobs: inside, ...alone } = whole;
    expect([by, alone]).toEqual([by, order]);
    // What an order counts are the jobs that its reader sees.
    expect([by, order.id, alone.orderSummary.jobsCount]).toEqual([by, order.id, inside.nodes.length]);
    expect([by, inside.count.value]).toEqual([by, inside.nodes.length]);
    const ofOrder = sorted(jobs.filter((job) => job.order.id === order.id));
    expect([by, sorted(inside.nodes.map(({ loads: _, ...job }: Json) => job))]).toEqual([by, ofOrder]);
    for (const job of inside.nodes) {
      expect([by, job.loads.count.value]).toEqual([by, job.loads.nodes.length]);
      expect([by, sorted(job.loads.nodes)]).toEqual([by, sorted(loads.filter((load) => load.job.id === job.id))]);
    }
  }
  for (let i = 0; i < 3 && jobs.length > 0; i++) {
    const job = dice.of(jobs);
    const query = `query($id: ID!, $company: ID) { job(id: $id) { ${JOB} } jobAssignments(jobId: $id, companyId: $company, first: 50) { nodes { ${LINK} } count(exact: true) { value } } }`;
    const { job: alone, jobAssignments: links } = await ask(heard, query, { id: job.id, company: heard.reader.side.company.id });
    expect([by, alone]).toEqual([by, job]);
    expect([by, links.count.value, sorted(links.nodes)]).toEqual([by, links.nodes.length, sorted(job.jobAssignments)]);
  }
  for (let i = 0; i < 2 && loads.length > 0; i++) {
    const load = dice.of(loads);
    const { load: alone } = await ask(heard, `query($id: ID!) { load(id: $id) { ${LOAD} } }`, { id: load.id });
    expect([by, alone]).toEqual([by, load]);
  }
}
