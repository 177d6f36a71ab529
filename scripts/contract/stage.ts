import { call } from '../real/product.ts';
import type { Operation } from './facts.ts';
import { formOf } from './uploads.ts';
import { dateIn } from './world.ts';

/** The records that are created for one operation. */
export interface Staged {
  /** For path parameters, by their names without `-id`; what is only called `id`, by the name of its collection, such as `fuel_prices`. */
  ids?: Readonly<Record<string, string>>;
  /** The fields that its body requires in addition. */
  body?: object;
  /** Of somebody else who calls it. */
  token?: string;
}

interface Props {
  account: string;
  vendor: string;
  service: string;
  material: string;
  equipmentType: string;
  sites: [string, string];
  driver: string;
  truck: string;
  timeZone: string;
  tokens: { url: string; token: string; companyId: string };
}

/** The events that take a job, with a driver who has a telephone, from its creation to a state. */
const ROAD = ['assign', 'request', 'accept', 'enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete_load'];
/** Milliseconds until a new order is loaded. */
const LEAD = 3_600_000;
const upTo = (length: number) => ROAD.slice(0, length);
const COMPLETED = [...ROAD, 'complete'];
/** The events that a job must have had before an event is called. */
const BEFORE_JOB: Record<string, string[]> = {
  accept: upTo(2),
  reject: upTo(2),
  request: upTo(1),
  unassign: upTo(1),
  driver_sms: upTo(1),
  enroute: upTo(3),
  arrive: upTo(4),
  pause: upTo(4),
  resume: [...upTo(4), 'pause'],
  load_material: upTo(5),
  unload_material: upTo(8),
  complete_load: upTo(9),
  complete: upTo(10),
  resource_usage_logs: upTo(1),
  review: COMPLETED,
  flag: COMPLETED,
  approve: COMPLETED,
  summary: COMPLETED,
  unapprove: [...COMPLETED, 'approve'],
  sign_off: [...COMPLETED, 'approve'],
  remove_flag: [...COMPLETED, 'flag'],
  remove_signoff: [...COMPLETED, 'approve', 'sign_off'],
};
const BEFORE_ORDER: Record<string, string[]> = {
  reject: ['request'],
  hold: ['accept'],
  weather_hold: ['accept'],
  start: ['accept'],
  complete: ['accept', 'start'],
};
/** The same for the load of a job. */
const BEFORE_LOAD: Record<string, string[]> = {
  approve: ROAD,
  unapprove: [...COMPLETED, 'approve'],
  complete: upTo(4),
  summary: upTo(6),
};

/** Creates the job, order or load for an operation: new, and in the right state. */
export class Stage {
  readonly #props: Props;

  private constructor(props: Props) {
    this.#props = props;
  }

  /** Creates what every order requires, so that no other operation makes it unusable. */
  static async open(tokens: Props['tokens'], { driver, truck, timeZone }: Pick<Props, 'driver' | 'truck' | 'timeZone'>): Promise<Stage> {
    const made = async (path: string, body: object) => (await call<{ id: string }>(tokens.url, tokens.token, 'POST', path, body)).id;
    const [service] = await call<{ id: string }[]>(tokens.url, tokens.token, 'GET', '/v1/services');
    const account = (kind: string) => made('/v1/accounts', { name: `Stage ${kind}`, account_types: [kind] });
    return new Stage({
      tokens,
      driver,
      truck,
      timeZone,
      service: service!.id,
      account: await account('customer'),
      vendor: await account('vendor'),
      material: await made('/v1/materials', { name: 'Stage gravel' }),
      equipmentType: await made('/v1/equipment_types', { name: 'Stage truck' }),
      sites: [
        await made('/v1/sites', { name: 'Stage pit', lat: 30.5, lon: -97.5 }),
        await made('/v1/sites', { name: 'Stage bridge', lat: 30.2, lon: -97.6 }),
      ],
    });
  }

  /** Returns nothing for operations that work on any record. */
  async of({ method, path }: Operation): Promise<Staged> {
    const [, signed] = /\/(jobs|loads)\/\{[^}]*\}\/signatures\//.exec(path) ?? [];
    if (signed) return this.#load('', 'DELETE');
    const [, about] = /\/tickets\/\{[^}]*\}\/(approve|image)$/.exec(path) ?? [];
    if (about) return { ids: { ticket: await this.#ticket(about === 'approve') } };
    if (path.includes('/moving_sites/')) return this.#movingSite();
    const [, kind, act] = /\/(jobs|orders|loads)\/\{[^}]*\}\/?([a-z_]*)$/.exec(path) ?? [];
    if (/\/orders$/.test(path) && method === 'POST') {
      // Without an equipment type the answer is empty (D-DISPATCH-29).
      return { body: { account_id: this.#props.account, equipment_type_id: this.#props.equipmentType } };
    }
    if (kind === 'orders') return method === 'PUT' || method === 'DELETE' ? this.#order(act!) : {};
    if (kind === 'loads') return this.#load(act!, method);
    if (kind !== 'jobs') return /bulk_send$/.test(path) ? { body: { job_ids: [(await this.#job(['assign'])).ids.job] } } : {};
    if (method === 'GET' && act !== 'summary') return {};
    const staged = await this.#job(BEFORE_JOB[act!] ?? []);
    if (act === 'assign_vendor') return { ...staged, body: { vendor_id: this.#props.vendor } };
    if (act === 'resource_usage_logs') {
      const date_of_use = dateIn(this.#props.timeZone, new Date(Date.now() + LEAD));
      return { ...staged, body: { resource_usage_logs: [{ usage_minutes: 1, driver_id: this.#props.driver, date_of_use }] } };
    }
    if (act === 'phase') return { ...staged, body: { phase_id: await this.#phaseOf(staged.ids.order) } };
    return staged;
  }

  async #order(act: string): Promise<Staged> {
    if (act === 'driver_sms') return this.#job(['assign']);
    const order = await this.#fresh();
    for (const event of BEFORE_ORDER[act] ?? []) await this.#ask('PUT', `/orders/${order}/${event}`, {});
    return { ids: { order } };
  }

  async #load(act: string, method: string): Promise<{ ids: { job: string; order: string; load: string } }> {
    const { ids } = await this.#job(method === 'DELETE' ? [] : (BEFORE_LOAD[act] ?? []));
    const loads = await this.#ask<{ id: string; ordinality: number }[]>('GET', `/jobs/${ids.job}/loads`);
    return { ids: { ...ids, load: loads.find(({ ordinality }) => ordinality === 1)!.id } };
  }

  /** @param more of its order */
  async #job(events: readonly string[], more: object = {}): Promise<{ ids: { job: string; order: string } }> {
    const order = await this.#fresh(more);
    await this.#ask('PUT', `/orders/${order}/accept`, {});
    const [{ id: job } = { id: '' }] = await this.#ask<{ id: string }[]>('GET', `/orders/${order}/jobs`);
    for (const event of events) {
      if (event === 'assign') await this.#ask('PATCH', `/jobs/${job}`, { driver_id: this.#props.driver });
      else await this.#ask('PUT', `/jobs/${job}/${event}`, {});
    }
    return { ids: { job, order } };
  }

  /** Creates a ticket of a load; with a picture, nothing of it is missing. */
  async #ticket(whole: boolean): Promise<string> {
    const { job, load } = (await this.#load('', 'DELETE')).ids;
    const body = { job_id: job, load_id: load, ticket_number: `Stage ${++made}`, quantity: 20, unit_of_measure: 'Ton' };
    const { id } = await this.#ask<{ id: string }>('POST', '/tickets', body);
    if (!whole) return id;
    const { url, token } = this.#props.tokens;
    const path = `/v1/tickets/${id}/image`;
    const sent = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: formOf(path, { image: '' }),
    });
    if (!sent.ok) throw new Error(`${path}: ${sent.status} ${await sent.text()}`);
    return id;
  }

  /** Creates a job to a site that moves with a machine. */
  async #movingSite(): Promise<Staged> {
    const moving_site = { equipment_id: this.#props.truck };
    const place = await this.#ask<{ id: string; moving_site: { id: string } }>('POST', '/sites', { name: 'Stage paver', moving_site });
    const order = await this.#fresh({ waypoints: waypoints(this.#props.sites[0], place.id) });
    const [job] = await this.#ask<{ id: string }[]>('GET', `/orders/${order}/jobs`);
    return { ids: { job: job!.id, order, 'moving-site': place.moving_site.id } };
  }

  async #phaseOf(order: string): Promise<string> {
    const { phases } = await this.#ask<{ phases?: { id: string }[] }>('PATCH', `/orders/${order}`, { phases: [{ name: 'Base course' }] });
    return phases?.[0]?.id ?? (await this.#ask<{ id: string }[]>('GET', `/orders/${order}/phases/typeahead`))[0]!.id;
  }

  /** Creates a job whose only load is done and approved. @param more of its order, such as its rates */
  async approvedJob(more: object): Promise<{ job: string; order: string }> {
    const { ids } = await this.#job(COMPLETED, { loads_per_truck: 1, truck_count: 1, ...more });
    const [load] = await this.#ask<{ id: string }[]>('GET', `/jobs/${ids.job}/loads`);
    await this.#ask('PUT', `/loads/${load!.id}/approve`, {});
    return ids;
  }

  /** Passes a job on to a vendor. @returns its link */
  async assignment(vendor_id: string): Promise<string> {
    const { job } = (await this.#job([])).ids;
    await this.#ask('PUT', `/jobs/${job}/assign_vendor`, { vendor_id });
    return (await this.#ask<{ id: string }[]>('GET', `/jobs/${job}/job_assignments`))[0]!.id;
  }

  /** Creates the rates of a project's site. */
  async siteRateSchedule(): Promise<string> {
    const { account, sites } = this.#props;
    const project = await this.#ask<{ id: string }>('POST', '/projects', { name: `Stage project ${++made}`, account_id: account });
    const rates = { site_id: sites[0], customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
    return (await this.#ask<{ id: string }>('POST', `/projects/${project.id}/site_rate_schedules`, rates)).id;
  }

  /** @param more than every order has; it goes from the pit to the bridge */
  async #fresh(more: object = {}): Promise<string> {
    const { account, service, material, equipmentType, sites, tokens } = this.#props;
    const { id } = await this.#ask<{ id: string }>('POST', `/companies/${tokens.companyId}/orders`, {
      ...{ load_at: new Date(Date.now() + LEAD).toISOString(), truck_count: 2, truck_delay: 0, loads_per_truck: 2 },
      ...{ account_id: account, service_id: service, material_id: material, equipment_type_id: equipmentType },
      waypoints: waypoints(...sites),
      ...more,
    });
    return id;
  }

  #ask<T>(method: string, path: string, body?: object): Promise<T> {
    return call<T>(this.#props.tokens.url, this.#props.tokens.token, method, `/v1${path}`, body);
  }
}

const waypoints = (from: string, to: string): object[] =>
  [from, to].map((site_id, ordinality) => ({ type: ordinality === 0 ? 'pickup' : 'drop_off', site_id, ordinality }));

let made = 0;
