import { expect } from '@jest/globals';
import { orderInput, type Person, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A crossing about which somebody may decide. */
export interface Crossing {
  id: string;
  state: string;
  undoable: boolean;
  jobEventId: string | null;
}

/** The acts of a new user by one interface alone: nothing of a test that uses it goes by another one. */
export interface Client {
  site(name: string, lat: string, lon: string): Promise<string>;
  order(driverId: string, loadAt: string, from: string, to: string): Promise<{ order: string; job: string }>;
  accept(driver: Person, order: string, job: string): Promise<void>;
  duty(driver: Person, state: string, occurredAt: string): Promise<{ id: string }>;
  report(driver: Person, jobId: string, way: { at: string; lat: string; lon: string }[]): Promise<void>;
  states(job: string): Promise<{ job: string; load: string }>;
  approve(by: Person, day: string): Promise<{ approved: boolean; minutes: number }>;
  /** The crossings of a job that need a person, or all of them. */
  crossings(by: Person, job: string, needsReview?: boolean): Promise<Crossing[]>;
  /** @returns what became of the crossing */
  decide(by: Person, what: 'confirm' | 'dismiss', crossing: string): Promise<string>;
  /** @returns the state of the job, or `conflict` where there is nothing to undo any more */
  undo(by: Person, jobEvent: string): Promise<string>;
}

/** Returns the acts over REST. */
export const restOf = (tenant: Tenant): Client => ({
  site: async (name, lat, lon) => (await tenant.must('POST', '/v1/sites', { name, lat, lon })).id,
  async order(driver_id, load_at, from, to) {
    const waypoints = [from, to].map((site_id, ordinality) => ({ type: ordinality ? 'drop_off' : 'pickup', site_id, ordinality }));
    const wanted = orderInput(tenant, { driver_id, load_at, waypoints, geofence_delay_seconds: 60 });
    const { id } = await tenant.must('POST', '/v1/orders', wanted);
    const [job] = await tenant.must('GET', `/v1/orders/${id}/jobs`);
    return { order: id, job: job.id };
  },
  async accept(driver, order, job) {
    await tenant.must('PUT', `/v1/orders/${order}/accept`, {});
    await driver.must('PUT', `/v1/jobs/${job}/accept`, {});
  },
  duty: (driver, state, occurred_at) => driver.must('PUT', `/v1/users/me/driver_day/${state}`, { occurred_at }),
  report: (driver, job_id, way) =>
    driver.must('POST', '/v1/users/me/locations', {
      device_id: 'phone',
      locations: way.map(({ at: occurred_at, lat, lon }) => ({ occurred_at, lat, lon, job_id, accuracy: 8 })),
    }),
  async states(job) {
    const { state } = await tenant.must('GET', `/v1/jobs/${job}`);
    return { job: state, load: (await tenant.must('GET', `/v1/jobs/${job}/loads`))[0].state };
  },
  async approve(by, day) {
    const { approved, total_shift_minutes: minutes } = await by.must('PUT', `/v1/driver_days/${day}/approve`, {});
    return { approved, minutes };
  },
  async crossings(by, job, needsReview) {
    const wanted = needsReview === undefined ? '' : `&needs_review=${needsReview}`;
    const found: Json[] = await by.must('GET', `/v1/geofence_triggers?job_id=${job}${wanted}`);
    return found.map(({ id, state, undoable, job_event_id: jobEventId }) => ({ id, state, undoable, jobEventId }));
  },
  decide: async (by, what, crossing) => (await by.must('PUT', `/v1/geofence_triggers/${crossing}/${what}`, {})).state,
  async undo(by, jobEvent) {
    const { status, body } = await by.http('PUT', `/v1/job_events/${jobEvent}/undo`, {});
    return status === 409 ? body.error.code : body.data.state;
  },
});

async function graphql(by: Pick<Person, 'gql'>, query: string, variables: object): Promise<Json> {
  const { data, errors } = await by.gql(query, variables as Record<string, unknown>);
  expect(errors).toBeUndefined();
  return Object.values(data)[0];
}

/** Returns the acts over GraphQL. */
export const graphqlOf = (tenant: Tenant): Client => ({
  site: async (name, lat, lon) =>
    (await graphql(tenant, 'mutation ($input: CreateSiteInput!) { createSite(input: $input) { id } }', { input: { name, lat, lon } })).id,
  async order(driverId, loadAt, from, to) {
    const waypoints = [from, to].map((siteId, ordinality) => ({ type: ordinality ? 'drop_off' : 'pickup', siteId, ordinality }));
    const input = {
      ...{ driverId, loadAt, waypoints, geofenceDelaySeconds: 60, truckCount: 1, truckDelay: 0 },
      ...{ accountId: tenant.account.id, serviceId: tenant.service.id },
    };
    const query = 'mutation ($input: CreateOrderInput!) { createOrder(input: $input) { id jobs { nodes { id } } } }';
    const { id, jobs } = await graphql(tenant, query, { input });
    return { order: id, job: jobs.nodes[0].id };
  },
  async accept(driver, order, job) {
    await graphql(tenant, 'mutation ($id: ID!) { acceptOrder(id: $id) { id } }', { id: order });
    await graphql(driver, 'mutation ($id: ID!) { acceptJob(id: $id) { id } }', { id: job });
  },
  duty: (driver, state, occurredAt) =>
    graphql(driver, 'mutation ($state: DriverState!, $input: DriverStateInput) { setMyDriverDay(state: $state, input: $input) { id } }', {
      state,
      input: { occurredAt },
    }),
  report: (driver, jobId, way) =>
    graphql(driver, 'mutation ($input: MobileDeviceLocationsInput!) { recordPositions(input: $input) }', {
      input: { deviceId: 'phone', locations: way.map(({ at: occurredAt, ...place }) => ({ occurredAt, ...place, jobId, accuracy: 8 })) },
    }),
  async states(id) {
    const { state, loads } = await graphql(tenant, 'query ($id: ID!) { job(id: $id) { state loads { nodes { state } } } }', { id });
    return { job: state, load: loads.nodes[0].state };
  },
  async approve(by, id) {
    const query = 'mutation ($id: ID!) { approveDriverDay(id: $id) { approved totalShiftMinutes warnings { number } } }';
    const { approved, totalShiftMinutes: minutes } = await graphql(by, query, { id });
    return { approved, minutes };
  },
  async crossings(by, job, needsReview) {
    const query = `query ($job: ID!, $needs: Boolean) { geofenceTriggers(jobId: $job, needsReview: $needs) { nodes { id state undoable jobEventId } } }`;
    return (await graphql(by, query, { job, needs: needsReview })).nodes;
  },
  decide: async (by, what, id) => (await graphql(by, `mutation ($id: ID!) { ${what}Trigger(id: $id) { state } }`, { id })).state,
  async undo(by, id) {
    const { data, errors } = await by.gql('mutation ($id: ID!) { undoAutomaticEvent(jobEventId: $id) { state } }', { id });
    return errors ? errors[0].extensions.code : data.undoAutomaticEvent.state;
  },
});
