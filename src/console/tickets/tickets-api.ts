import { ask } from '../server/request.ts';

/** The fields of a ticket that the pages use; the names are the schema's. */
export interface Ticket {
  id: string;
  ticketNumber: string | null;
  state: string;
  serviceDate: string | null;
  createdAt: string;
  quantity: string | null;
  unitOfMeasure: string;
  externalTruckId: string | null;
  externalVendorName: string | null;
  externalMaterialMaterialName: string | null;
  order: { orderId: string } | null;
  job: { jobId: string } | null;
  load: { loadId: string } | null;
}

/** A job that a ticket may belong to. */
export interface Candidate {
  id: string;
  jobId: string;
  state: string;
  jobStartAt: string;
  order: { orderId: string; externalId: string | null; account: { name: string } | null; dispatchNumber: { name: string } | null };
  equipment: { name: string } | null;
  driver: { firstName: string; lastName: string } | null;
  /** Its loads without a ticket. */
  loads: { nodes: { id: string; loadId: string; ordinality: number; state: string }[] };
}

/** By what jobs are looked for; what is empty does not count. */
export interface Wanted {
  /** Number, external id, dispatch number or customer of the order. */
  words: string;
  /** `YYYY-MM-DD`, a day of the company. */
  day: string;
  truck: string;
}

const FIELDS = `id ticketNumber state serviceDate createdAt quantity unitOfMeasure externalTruckId externalVendorName externalMaterialMaterialName
  order { orderId } job { jobId } load { loadId }`;

export const readTicket = async (id: string, company: string): Promise<Ticket> =>
  (
    await ask<{ ticket: Ticket }>(
      `query($id: ID!, $company: ID) { ticket(id: $id, companyId: $company) { ${FIELDS} } }`,
      inCompany(company, { id }),
    )
  ).ticket;

export interface TicketPage {
  tickets: Ticket[];
  next: string | null;
}

/** Returns tickets that have no load, newest first. @param after cursor of the page before */
export async function readUnlinked(search: string, after: string, company: string): Promise<TicketPage> {
  const { tickets } = await ask<{ tickets: { nodes: Ticket[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } }>(
    `query($company: ID, $search: SearchInput, $after: String) {
      tickets(first: 25, after: $after, companyId: $company, filter: { states: [new] }, search: $search) {
        nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`,
    inCompany(company, { search: search ? { datagrid: search } : null, after: after || null }),
  );
  return { tickets: tickets.nodes, next: tickets.pageInfo.hasNextPage ? tickets.pageInfo.endCursor : null };
}

const CANDIDATE = `nodes { id jobId state jobStartAt order { orderId externalId account { name } dispatchNumber { name } } equipment { name }
  driver { firstName lastName } loads(first: 25, filter: { without: [ticket], not: [{ states: [canceled] }] }) { nodes { id loadId ordinality state } } }`;
const AT_MOST = 20;

/** Returns jobs that a ticket may belong to, the earliest first. Those of which no load is free come last. */
export async function findJobs({ words, day, truck }: Wanted, company: string): Promise<Candidate[]> {
  const equipmentIds = truck.trim() === '' ? null : await findTrucks(truck.trim(), company);
  if (equipmentIds?.length === 0) return [];
  const filter = { startDate: day || null, endDate: day || null, equipmentIds, not: [{ states: ['canceled'] }] };
  const named = { ...filter, externalIds: [words.trim()] };
  const { found, own } = await ask<{ found: { nodes: Candidate[] }; own?: { nodes: Candidate[] } }>(
    `query($company: ID, $search: SearchInput, $filter: JobFilter, $named: JobFilter, $words: Boolean!) {
      found: jobs(first: ${AT_MOST}, companyId: $company, filter: $filter, search: $search, sort: { jobStartAt: asc }) { ${CANDIDATE} }
      own: jobs(first: ${AT_MOST}, companyId: $company, filter: $named, sort: { jobStartAt: asc }) @include(if: $words) { ${CANDIDATE} } }`,
    inCompany(company, { search: words.trim() ? { datagrid: words.trim() } : null, filter, named, words: words.trim() !== '' }),
  );
  const all = [...new Map([...(own?.nodes ?? []), ...found.nodes].map((job) => [job.id, job])).values()];
  return all.sort(
    (a, b) => Number(a.loads.nodes.length === 0) - Number(b.loads.nodes.length === 0) || a.jobStartAt.localeCompare(b.jobStartAt),
  );
}

async function findTrucks(words: string, company: string): Promise<string[]> {
  const { equipmentList } = await ask<{ equipmentList: { nodes: { id: string }[] } }>(
    'query($company: ID, $words: String) { equipmentList(first: 100, companyId: $company, search: { datagrid: $words }) { nodes { id } } }',
    inCompany(company, { words }),
  );
  return equipmentList.nodes.map(({ id }) => id);
}

export async function linkTicket(id: string, loadId: string, company: string): Promise<void> {
  await ask(
    'mutation($id: ID!, $load: ID!, $company: ID) { updateTicket(id: $id, companyId: $company, input: { loadId: $load }) { id } }',
    inCompany(company, { id, load: loadId }),
  );
}

const inCompany = (company: string, variables: object) => ({ ...variables, company: company || null });
