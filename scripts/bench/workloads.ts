import { DAY, idOf, SIZE } from './data.ts';
import type { Shot } from './drive.ts';
import { writeWorkloads } from './write-workloads.ts';

const LOADS_QUERY = `query Loads { loads(first: 100) { nodes {
  id loadId jobId ordinality createdAt updatedAt state quantity unitOfMeasure notes approvedAt billingApprovedAt fieldApprovedAt
  material { id name externalId }
  loadSummary { arrivedPickupAt loadedAt arrivedDropoffAt unloadedAt loadCompletedAt gpsMinutes hasGpsData pickupTimeMinutes dropoffTimeMinutes }
  job { id jobId state jobStartAt quantity unitOfMeasure priority
    driver { id firstName lastName phone email }
    order { id orderId name state loadAt quantity unitOfMeasure externalId account { id name externalId } service { id name } } }
  waypoints { id type ordinality site { id name lat lon fullAddress } }
} } }`;

const DASHBOARD_QUERY = `query Dashboard { orders(first: 25) { nodes {
  id orderId name state loadAt truckCount quantity unitOfMeasure account { id name } material { id name }
  waypoints { id type ordinality site { id name lat lon fullAddress routable discardedAt
    address { id thoroughfare premise locality administrativeArea postalCode country lat lon placeId } } }
  jobs(first: 25) { nodes { id jobId state jobStartAt driver { id firstName lastName phone }
    loads(first: 25) { nodes { id loadId state quantity unitOfMeasure } } } }
} } }`;

const DEEP_QUERY = 'query Deep($after: String) { loads(first: 25, after: $after) { nodes { id loadId state quantity createdAt } } }';

const DAY_QUERY = `query Day($date: Date) { dayBoard(date: $date) { date
  orders { id orderId name state loadAt account { id name } }
  jobsByState { state count jobs { id jobId state jobStartAt order { id orderId } driver { id firstName lastName } equipment { id name }
    waypoints { id type ordinality site { id name } } } }
  drivers { availability jobsCount driver { id firstName lastName phone } }
  trucks { availability jobsCount truck { id name equipmentType { id name } } } } }`;

/** Returns documents that resemble each other and are never the same, like those of a client that writes ids and aliases into their text. */
export const differentDocument = (token: string, number: number): Shot =>
  graphql(
    DASHBOARD_QUERY.replace('orders(first: 25)', `d${number}: orders(first: ${1 + (number % 5)})`).replace('Dashboard', `D${number}`),
    { authorization: `Bearer ${token}` },
  );

export interface Workload {
  name: string;
  what: string;
  /** At most this many times the limit. */
  target: number;
  product: () => Shot;
  limit: () => Shot;
  /** Both must answer the same JSON before they are measured. */
  same?: boolean;
  /** For a write: has the limit answer what it would write and answer to the product's next request, and write nothing. */
  trial?: () => Shot;
  /** @throws Error if product and limit have not stored the same, after both have answered for a while */
  check?: () => Promise<void>;
  /**
   * The tasks that the product writes for its workers, with their kinds, of which the first is done while requests come. What the workers do is measured
   * by itself: the limit does nothing of it.
   */
  tasks?: { table: string; kinds: readonly string[] };
}

export interface DeepPage {
  cursor: string;
  at: string;
  id: string;
}

/** The texts that somebody types: one and two words, rare and frequent, and the first letters of many names. */
const TYPED = ['gra', 'granite 77', 'PIT 12', 'north', 'chalk 4', 'sàndstone', 'st', 'e 9'];

const graphql = (query: string, headers: Record<string, string>, variables?: object): Shot => ({
  method: 'POST',
  path: '/graphql',
  headers,
  body: JSON.stringify({ query, variables }),
});

/**
 * Reads of single records and of first pages over REST. The n-th request of either side is about the same record of the largest company,
 * in whatever state it is.
 */
function recordWorkloads(headers: Record<string, string>): Workload[] {
  const single = (name: string, path: string, target: number, idAt: (n: number) => string): Workload => {
    const turns = { product: 0, limit: 0 };
    return {
      name,
      what: `GET ${path}/{id} (REST)`,
      target,
      same: true,
      product: () => ({ method: 'GET', path: `${path}/${idAt(turns.product++)}`, headers }),
      limit: () => ({ method: 'GET', path: `/${name}?id=${idAt(turns.limit++)}` }),
    };
  };
  const page = (name: string, path: string, target: number): Workload => ({
    name,
    what: `GET ${path}?page[limit]=25 (REST)`,
    target,
    same: true,
    product: () => ({ method: 'GET', path: `${path}?page%5Blimit%5D=25`, headers }),
    limit: () => ({ method: 'GET', path: `/${name}` }),
  });
  const orderAt = (n: number) => 1 + (n % (SIZE.orders / 2));
  return [
    single('w13', '/v1/orders', 2, (n) => idOf('order', orderAt(n))),
    single('w14', '/v1/jobs', 2, (n) => idOf('job', `${orderAt(n)}-${1 + (n % SIZE.jobsPerOrder)}`)),
    page('w15', '/v1/orders', 1.5),
    page('w16', '/v1/jobs', 1.5),
  ];
}

/** Returns the workloads of single requests; `deep` are pages far down the largest tenant's loads. */
export function workloadsOf(token: string, deep: DeepPage[]): Workload[] {
  const headers = { authorization: `Bearer ${token}` };
  let turn = 0;
  const words = ['a1', 'project', 'PRJ-9', 'ff0', 'prj-77'];
  const word = () => words[turn++ % words.length]!;
  const typed = () => encodeURIComponent(TYPED[turn++ % TYPED.length]!);
  const page = () => deep[turn++ % deep.length]!;
  return [
    {
      name: 'w1',
      what: '100 loads, about 60 fields, three deep (GraphQL)',
      target: 1.2,
      product: () => graphql(LOADS_QUERY, headers),
      limit: () => ({ method: 'GET', path: '/w1' }),
    },
    {
      name: 'w2',
      what: 'dashboard: 25 orders, jobs, loads, waypoints, sites (GraphQL)',
      target: 1.2,
      product: () => graphql(DASHBOARD_QUERY, headers),
      limit: () => ({ method: 'GET', path: '/w2' }),
    },
    {
      name: 'w3',
      what: 'project typeahead (REST)',
      target: 1.3,
      product: () => ({ method: 'GET', path: `/v1/projects/typeahead?search%5Bquery%5D=${word()}`, headers }),
      limit: () => ({ method: 'GET', path: `/w3?q=${word()}` }),
    },
    {
      name: 'w4',
      what: 'page of 25 deep in 500,000 loads (GraphQL)',
      target: 1.6,
      product: () => graphql(DEEP_QUERY, headers, { after: page().cursor }),
      limit: () => {
        const { at, id } = page();
        return { method: 'GET', path: `/w4?at=${encodeURIComponent(at)}&id=${id}` };
      },
    },
    {
      name: 'w9',
      what: 'site typeahead among 10,000 (REST)',
      target: 2,
      product: () => ({ method: 'GET', path: `/v1/sites/typeahead?search%5Bquery%5D=${typed()}`, headers }),
      limit: () => ({ method: 'GET', path: `/w9?q=${typed()}` }),
    },
    {
      name: 'w10',
      what: 'account typeahead among 50,000 (REST)',
      target: 2,
      product: () => ({ method: 'GET', path: `/v1/accounts/typeahead?search%5Bquery%5D=${typed()}`, headers }),
      limit: () => ({ method: 'GET', path: `/w10?q=${typed()}` }),
    },
    {
      name: 'w11',
      what: `day board of ${DAY.jobs} jobs (GraphQL)`,
      target: 2,
      product: () => graphql(DAY_QUERY, headers, { date: DAY.date }),
      limit: () => ({ method: 'GET', path: '/w11' }),
    },
    ...recordWorkloads(headers),
    ...writeWorkloads(headers),
  ];
}
