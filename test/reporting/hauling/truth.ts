import type { Person } from '../../helpers/tenant.ts';
import type { Json, Scene } from './scene.ts';

const STOPS = 'waypoints { type ordinality site { id } }';
const DELIVERED = 'deliveredQuantities { delivered unitOfMeasure materialName total ticketed }';

interface Kind {
  /** The root fields of one record and of the list. */
  one: string;
  list: string;
  table: string;
  /** The path of one record; that of the list is below the company. */
  path: string;
  fields: string;
}

/** The records of work. */
export const KINDS = {
  order: {
    ...{ one: 'order', list: 'orders', table: 'orders', path: 'orders' },
    fields: `id orderId state externalId loadAt jobStartAt truckCount quantity unitOfMeasure stateEvents actionRequired editable updatedAt version
      loadCycleAvg loadsPickupTimeMinutesAvg loadsDropoffTimeMinutesAvg account { id name } project { id name } material { id } service { id } equipment { id } ${STOPS}
      orderSummary { acceptedJobsCount assignedJobsCount deliveredLoadsCount jobsCount loadsCount sentJobsCount startedJobsCount actionableJobsCount
        approvedLoadsCount totalTicketsCount materialGrossDeliveredQuantity materialGrossTicketedDeliveredQuantity totalTicketsQuantity firstLoadUnloadedAt
        firstTicketAt ${DELIVERED} }`,
  },
  job: {
    ...{ one: 'job', list: 'jobs', table: 'job', path: 'jobs' },
    fields: `id jobId state stateChangedAt pausedAt jobStartAt quantity unitOfMeasure recurringLoads notes priority stateEvents editable deletable completable
      loadsCount completedLoadsCount ticketsCount loadCycleAvg approved approvable unapprovable approvedAt billingApprovedAt billableHours createdAt updatedAt version
      order { id orderId account { id name } externalId } driver { id firstName lastName } equipment { id } additionalEquipment { id } material { id } project { id name } service { id } ${STOPS}
      jobSummary { loggingStartedAt loggingEndedAt completedLoadsCount breakTimeMinutes workTimeMinutes loadsWithTicketsCount firstSentAt firstAcceptedAt ${DELIVERED} }`,
  },
  load: {
    ...{ one: 'load', list: 'loads', table: 'load', path: 'loads' },
    fields: `id loadId jobId ordinality state quantity unitOfMeasure deliveredQuantity deliveredUnitOfMeasure approved approvable unapprovable approvedAt
      billingApprovedAt needsReview doubted ticketMissing updatedAt version material { id } job { id } ticket { id } continuesLoad { id } ${STOPS}
      loadSummary { arrivedPickupAt loadedAt arrivedDropoffAt unloadedAt loadCompletedAt pickupTimeMinutes dropoffTimeMinutes editable }`,
  },
  ticket: {
    ...{ one: 'ticket', list: 'tickets', table: 'ticket', path: 'tickets' },
    fields: `id ticketNumber state stateEvents quantity unitOfMeasure flagged source serviceDate missingInfo orderId jobId loadId friendlyJobId driverName equipmentName materialName
      createdAt updatedAt version order { id } job { id } load { id } material { id } site { id }`,
  },
  day: {
    ...{ one: 'driverDay', list: 'driverDays', table: 'driver_day', path: 'driver_days' },
    fields: `id driverDayId driverDayDate startedShiftAt endedShiftAt endReason adjustedStartedShiftAt adjustedEndedShiftAt shiftAdjustmentMinutes externalId editable
      approved approvable unapprovable billingApprovedAt fieldApprovedAt jobsCount loadsCount ticketsCount firstTicketAt lastTicketAt totalBreakMinutes totalShiftMinutes totalOnDutyMinutes
      payableMinutes equipmentExternalIds updatedAt version driver { id firstName lastName } currentDriverStateEvent { id state startedAt endedAt } ${DELIVERED}`,
  },
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof KINDS;
export const NAMES = Object.keys(KINDS) as KindName[];

/** All records of a company, each read alone. */
export type Truth = Record<KindName, Map<string, Json>>;

/** Records that are read in one document: it may have 800 fields. */
const AT_ONCE = 10;

/** Asks something that must be answered. */
export async function ask(by: Person, query: string, variables: Record<string, unknown> = {}): Promise<Json> {
  const { data, errors } = await by.gql(query, variables);
  if (errors) throw new Error(`${query}\n${JSON.stringify(errors)}`);
  return data;
}

/** Reads the records of some ids, each by a root field of its own. */
export async function readAlone(by: Person, name: KindName, ids: readonly string[]): Promise<Map<string, Json>> {
  const { one, fields } = KINDS[name];
  const found = new Map<string, Json>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const data = await ask(by, `{ ${some.map((id, i) => `a${i}: ${one}(id: "${id}") { ${fields} }`).join(' ')} }`);
    for (const [i, id] of some.entries()) found.set(id, data[`a${i}`]);
  }
  return found;
}

/** Reads what the company has. Which records there are says the database, and no list of the product. */
export async function readTruth(scene: Scene): Promise<Truth> {
  const run = scene.app.orm.em.fork().getConnection();
  const all: [KindName, Map<string, Json>][] = [];
  for (const name of NAMES) {
    const rows: Json[] = await run.execute(`select id from "${KINDS[name].table}" where company_id = ? order by id`, [scene.at.company.id]);
    all.push([
      name,
      await readAlone(
        scene.at.admin,
        name,
        rows.map(({ id }) => id),
      ),
    ]);
  }
  return Object.fromEntries(all) as Truth;
}

/** All records of a list of GraphQL, with its count. */
export async function listed(by: Person, field: string, nodes: string): Promise<{ records: Json[]; count: number }> {
  const records: Json[] = [];
  for (let after: string | null = null; ; ) {
    const data: Json = await ask(
      by,
      `query ($after: String) { ${field}(first: 100, after: $after) { pageInfo { hasNextPage endCursor } count(exact: true) { value } nodes { ${nodes} } } }`,
      { after },
    );
    const page = data[field];
    records.push(...page.nodes);
    if (!page.pageInfo.hasNextPage) return { records, count: page.count.value };
    after = page.pageInfo.endCursor;
  }
}

/** All records of a list over REST. */
export async function pages(by: Person, path: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let after = ''; ; ) {
    const { status, body, headers } = await by.http('GET', `${path}${path.includes('?') ? '&' : '?'}page[limit]=100${after}`);
    if (status !== 200) throw new Error(`GET ${path} -> ${status} ${JSON.stringify(body)}`);
    all.push(...body.data);
    const next = /<[^>]*page(?:%5B|\[)after(?:%5D|\])=([^>&]+)[^>]*>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (!next) return all;
    after = `&page[after]=${next}`;
  }
}

export const sorted = (ids: Iterable<string>): string[] => [...ids].toSorted();
export const byId = (records: readonly Json[]): Map<string, Json> => new Map(records.map((record) => [record.id, record]));
