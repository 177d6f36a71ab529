import { idOf, SIZE } from './data.ts';
import type { Shot } from './drive.ts';
import type { Workload } from './workloads.ts';

const HALF = SIZE.orders / 2;

/**
 * Writes of the largest company over REST, each with its answer. Both sides write to different records, because what was done to one cannot be
 * done again; the limit does not check it.
 */
export function writeWorkloads(headers: Record<string, string>): Workload[] {
  const write = (name: string, what: string, limit: (n: number) => string, shot: (n: number) => Shot, body: (n: number) => object) => {
    const turns = { product: 0, limit: 0, trial: 0 };
    const bodyAt = (n: number) => JSON.stringify(body(n));
    // The product's next request, answered by the limit.
    const trial = (n: number) => {
      const id = /[0-9a-f-]{36}/.exec(shot(n).path)?.[0];
      return `/${name}?trial${id ? `&id=${id}` : ''}`;
    };
    return {
      name,
      what,
      target: 2.5,
      product: () => ({ ...shot(turns.product), headers, body: bodyAt(turns.product++) }),
      limit: () => ({ method: 'POST', path: `/${name}${limit(turns.limit)}`, body: bodyAt(turns.limit++) }),
      trial: () => ({ method: 'POST', path: trial(turns.trial), body: bodyAt(turns.trial++) }),
    } satisfies Workload;
  };
  // In every fourth order the trucks are on their way; the limit gets the last truck of each.
  const onTheWay = SIZE.orders / 8;
  const jobAt = (n: number) => idOf('job', `${4 * (n % onTheWay) + 2}-${1 + Math.floor(n / onTheWay)}`);
  // Every fourth order is completed, and the limit changes those of the second quarter.
  const openOrderAt = (n: number) => 4 * (1 + (Math.floor(n / 3) % (HALF / 8 - 1))) + (n % 3);
  return [
    write(
      'w17',
      'PUT of a driver who arrives (REST)',
      (n) => `?id=${jobAt((SIZE.jobsPerOrder - 1) * onTheWay + (n % onTheWay))}`,
      (n) => ({ method: 'PUT', path: `/v1/jobs/${jobAt(n)}/arrive` }),
      () => ({}),
    ),
    write(
      'w18',
      'POST of an order with five trucks of five loads (REST)',
      () => '',
      () => ({ method: 'POST', path: '/v1/orders' }),
      newOrder,
    ),
    write(
      'w19',
      "PATCH of an order's notes (REST)",
      (n) => `?id=${idOf('order', HALF / 2 + openOrderAt(n))}`,
      (n) => ({ method: 'PATCH', path: `/v1/orders/${idOf('order', openOrderAt(n))}` }),
      (n) => ({ notes: `Gate ${n}` }),
    ),
  ];
}

const newOrder = (n: number): object => ({
  account_id: idOf('account', `1-${1 + (n % 20)}`),
  service_id: idOf('service', `1-${1 + (n % 10)}`),
  material_id: idOf('material', `1-${1 + (n % 10)}`),
  load_at: '2026-12-01T12:00:00.000Z',
  truck_count: SIZE.jobsPerOrder,
  truck_delay: 15,
  loads_per_truck: SIZE.loadsPerJob,
  quantity: '550',
  unit_of_measure: 'Ton',
  load_unit_of_measure: 'Ton',
  job_quantity: '5',
  job_unit_of_measure: 'Load',
  notes: `Gate ${n}`,
  waypoints: [
    { type: 'pickup', ordinality: 0, site_id: idOf('site', `1-${1 + (n % SIZE.sites)}`) },
    { type: 'drop_off', ordinality: 1, site_id: idOf('site', `1-${1 + ((n + 7) % SIZE.sites)}`) },
  ],
});
