import { expect } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { Replica } from '../../events/follower.ts';
import { until } from '../../helpers/until.ts';
import type { Json, Scene } from './scene.ts';
import { ask, KINDS, type KindName, type Truth } from './truth.ts';

/** The names by which feeds call records. */
const TYPES: Readonly<Record<KindName, string>> = { order: 'Order', job: 'Job', load: 'Load', ticket: 'Ticket', day: 'DriverDay' };

const CHANGES = `subscription { recordChanged(types: [Order, Job, Load, Ticket, DriverDay]) { id event record {
  ... on Order { version orderState: state } ... on Job { version jobState: state loadsCount completedLoadsCount ticketsCount }
  ... on Load { version loadState: state } ... on Ticket { version ticketState: state } ... on DriverDay { version jobsCount loads: loadsCount tickets: ticketsCount } } } }`;

const COUNTS = '{ date jobsByState { state count } ordersByState { state count } loadsByHour { startsAt count } }';

/** What follows a company from its beginning: a copy by the feed of changes, that of a driver, and live queries of records and of the day. */
export class Followers {
  readonly #office: Replica;
  readonly #driver: Replica;
  readonly #client: Client;
  /** What the live query has said last of each record. */
  readonly #live = new Map<string, Json>();
  /** The day as it was said last. */
  #day: Json;
  /** Versions of the records as they were when it was last compared. */
  #known: Map<string, number> | undefined;
  readonly #problems: unknown[] = [];

  private constructor(scene: Scene) {
    this.#office = new Replica(scene.at, scene.at.admin.token);
    this.#driver = new Replica(scene.at, scene.drivers[0]!.token);
    const url = `${scene.app.url.replace('http', 'ws')}/graphql`;
    this.#client = createClient({
      ...{ url, webSocketImpl: WebSocket, retryAttempts: 0 },
      connectionParams: { authorization: `Bearer ${scene.at.admin.token}` },
    });
    this.#subscribe(CHANGES, ({ recordChanged: change }) => void this.#live.set(change.id, change));
    this.#subscribe(`subscription { dayBoardChanged ${COUNTS} }`, ({ dayBoardChanged: day }) => {
      this.#day = day;
    });
  }

  #subscribe(query: string, take: (data: Json) => void): void {
    const problem = (error: unknown) => void this.#problems.push(error);
    const next = ({ data, errors }: Json) => (errors ? problem(errors) : take(data));
    this.#client.subscribe({ query }, { next, error: problem, complete: () => problem('it ended') });
  }

  static async begin(scene: Scene): Promise<Followers> {
    const followers = new Followers(scene);
    await followers.#office.begin();
    await followers.#driver.begin();
    return followers;
  }

  async end(): Promise<void> {
    await this.#client.dispose();
  }

  /** Compares the copies with the records as they are read alone. @param rest the records over REST */
  async compare(scene: Scene, truth: Truth, rest: Readonly<Record<KindName, Map<string, Json>>>): Promise<void> {
    const own = (record: Json): Json => ownOf(record, scene.merged);
    await this.#office.follow();
    for (const [name, type] of Object.entries(TYPES) as [KindName, string][]) {
      const copied = [...this.#office.records].filter(([key]) => key.startsWith(`${type} `));
      const copies = Object.fromEntries(copied.map(([key, record]) => [key.slice(type.length + 1), own(record)]));
      expect([type, copies]).toEqual([type, Object.fromEntries([...rest[name]].map(([id, record]) => [id, own(record)]))]);
    }
    const [driver] = scene.drivers;
    if ((await driver!.http('GET', '/v1/users/me')).status === 200) {
      await this.#driver.follow();
      const jobs = [...truth.job.values()].filter((job) => job.driver?.id === driver!.id).map(({ id }) => `Job ${id}`);
      const copied = [...this.#driver.records.keys()].filter((key) => key.startsWith('Job '));
      expect(copied.toSorted()).toEqual(jobs.toSorted());
      for (const key of copied) {
        const alone: Json = await driver!.must('GET', `/v1/${KINDS.job.path}/${key.slice(4)}`);
        expect(own(this.#driver.records.get(key))).toEqual(own(alone));
      }
    }
    await this.#compareLive(truth);
    const { dayBoard } = await ask(scene.at.admin, `{ dayBoard ${COUNTS} }`);
    await until(() => JSON.stringify(this.#day) === JSON.stringify(dayBoard)).catch(() => undefined);
    expect(this.#day).toEqual(dayBoard);
  }

  /** Of each record that has changed since it was last compared, the live query says what it is, sooner or later. */
  async #compareLive(truth: Truth): Promise<void> {
    const all = (Object.keys(TYPES) as KindName[]).flatMap((name) => [...truth[name]].map(([id, record]) => ({ name, id, record })));
    const known = this.#known;
    const changed = known ? all.filter(({ id, record }) => known.get(id) !== record.version) : [];
    const lags = () => changed.filter(({ name, id, record }) => !saysSame(name, this.#live.get(id), record));
    // What is still not said in the end is named below.
    await until(() => lags().length === 0).catch(() => undefined);
    expect(lags().map(({ name, id, record }) => [name, record, this.#live.get(id)])).toEqual([]);
    expect(this.#problems).toEqual([]);
    this.#known = new Map(all.map(({ id, record }) => [id, record.version]));
  }
}

function saysSame(name: KindName, said: Json, record: Json): boolean {
  const found = said?.record;
  if (!found || found.version !== record.version) return false;
  if (name === 'day')
    return found.jobsCount === record.jobsCount && found.loads === record.loadsCount && found.tickets === record.ticketsCount;
  if (found[`${name}State`] !== record.state) return false;
  return name !== 'job' || ['loadsCount', 'completedLoadsCount', 'ticketsCount'].every((count) => found[count] === record[count]);
}

/** Names of other records, sums of other things than work, and where a telephone was last heard of: they are of the moment, and no change of the record. */
const OF_MOMENT = new Set([
  ...[
    'approved_payables',
    'total_payables',
    'approved_receivables',
    'total_receivables',
    'travelled_distance_meters',
    'file_attachments_count',
  ],
  ...['first_geofence_entry_at', 'last_geofence_exit_at', 'pickup_geofence_entry_count', 'dropoff_geofence_entry_count', 'gps_status'],
  ...['customer_name', 'project_name', 'dispatch_number_name', 'equipment_name', 'driver_name', 'vendor_name', 'material_name'],
  ...['pickup_site_name', 'dropoff_site_name'],
]);
/** Parts of a record; of other objects it says which ones they are. */
const PARTS = new Set(['waypoints', 'approval_status', 'job_summary', 'order_summary', 'order', 'current_driver_state_event']);

/** What a record says itself. @param merged ids of sites that were merged: which of them a stop names is a change of the sites */
function ownOf(record: Json, merged: ReadonlySet<string>): Json {
  const refer = (value: Json): Json => {
    if (typeof value === 'string') return merged.has(value) ? 'merged' : value;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(refer);
    return 'id' in value ? refer(value.id) : fieldsOf(value, refer);
  };
  const part = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(part);
    return value === null || typeof value !== 'object' ? value : fieldsOf(value, refer);
  };
  return fieldsOf(record, (value, name) => (PARTS.has(name) ? part(value) : refer(value)));
}

function fieldsOf(record: Json, of: (value: Json, name: string) => Json): Json {
  const fields = Object.entries(record).filter(([name]) => !OF_MOMENT.has(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, of(value, name)]));
}
