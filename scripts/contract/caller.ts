import { Books } from './books.ts';
import type { Doors } from './doors.ts';
import type { Facts, Operation } from './facts.ts';
import { misfits } from './fit.ts';
import { sample } from './sample.ts';
import { Stage, type Staged } from './stage.ts';
import { announcement, formOf } from './uploads.ts';
import { bodyMore, type World } from './world.ts';

/** The result of an operation. */
export interface OperationResult {
  name: string;
  group: string;
  internal: boolean;
  /** The product lists it in its OpenAPI document, apart from the names of path parameters. */
  served: boolean;
  /** Of the answer; undefined if it was not called. */
  status?: number;
  /** The status is the one the contract promises. */
  promised: boolean;
  /** Why it was not called, or where the answer differs from the contract. */
  problems: string[];
}

interface Answer {
  status: number;
  body?: { data?: unknown; error?: { code?: string; errors?: { field?: string; message?: string }[] } };
}

/** Lists that contain the ids for path parameters and fields. */
const LISTS: Record<string, string> = {
  account: '/v1/accounts',
  customer_account: '/v1/accounts?filter[account_types][]=customer',
  company: '/v1/companies',
  compliance_document_type: '/v1/compliance_document_types',
  driver: '/v1/drivers',
  // Shared records cannot be changed.
  equipment: '/v1/equipment?filter%5Bshared%5D=false',
  equipment_type: '/v1/equipment_types',
  foreman: '/v1/foremen',
  iam_role: '/v1/iam_roles',
  job: '/v1/jobs',
  label: '/v1/labels',
  load: '/v1/loads',
  material: '/v1/materials',
  order: '/v1/orders',
  project: '/v1/projects',
  rate: '/v1/rates',
  service: '/v1/services',
  service_class: '/v1/service_classes',
  site: '/v1/sites',
  ticket: '/v1/tickets',
  user: '/v1/users',
};

/** Calls every operation of the contract on a running product, as somebody with all permissions. */
export class Caller {
  readonly #facts: Facts;
  readonly #url: string;
  readonly #token: string;
  readonly #companyId: string;
  readonly #world: World;
  readonly #doors: Doors;
  #stage: Stage | undefined;
  #books: Books | undefined;
  readonly #served = new Set<string>();
  readonly #ids = new Map<string, string[]>();
  /** Ids that creating operations returned, by the path they were sent to: these may be deleted. */
  readonly #created = new Map<string, string[]>();

  constructor(facts: Facts, access: { url: string; token: string; companyId: string }, world: World, doors: Doors) {
    this.#facts = facts;
    this.#world = world;
    this.#doors = doors;
    this.#url = access.url;
    this.#token = access.token;
    this.#companyId = access.companyId;
  }

  /**
   * Reads which operations the product serves, and the lists whose records paths and bodies name. Records that are created later are not
   * among them.
   */
  async look(driver: string): Promise<void> {
    const { paths } = (await (await fetch(`${this.#url}/docs/openapi.json`)).json()) as { paths: Record<string, object> };
    for (const [path, methods] of Object.entries(paths)) for (const method of Object.keys(methods)) this.#served.add(keyOf(method, path));
    for (const [kind, path] of Object.entries(LISTS)) this.#ids.set(kind, await this.#listOf(path));
    const { managedCompanyId, platformId, shareIds, driverIds, driverDayId } = this.#world;
    this.#ids.set('driver_day', [driverDayId]);
    this.#ids.set('managed_company', [managedCompanyId]);
    this.#ids.set(
      'managed_equipment_type',
      await this.#list(`/v1/companies/${this.#companyId}/managed_companies/${managedCompanyId}/equipment_types`),
    );
    this.#ids.set('platform', [platformId]);
    // An order is for a customer, and a job goes to a vendor.
    this.#ids.set('account', [this.#world.customerId, ...this.#ids.get('account')!]);
    for (const kind of ['vendor', 'vendor_account']) this.#ids.set(kind, [this.#world.vendorId]);
    this.#ids.set('company_share', shareIds);
    this.#ids.set('fleet', [this.#world.fleetId]);
    this.#ids.set('remote_vehicle', [this.#world.vehicleId]);
    this.#ids.set('company', [this.#companyId, ...this.#ids.get('company')!]);
    // Not the caller: an operation that ends somebody's sessions would end the report.
    this.#ids.set('user', [...driverIds, ...this.#ids.get('user')!]);
    this.#stage = await Stage.open(
      { url: this.#url, token: this.#token, companyId: this.#companyId },
      { driver, truck: this.#world.truckId, timeZone: this.#world.timeZone },
    );
    this.#books = await Books.open({ url: this.#url, token: this.#token }, { stage: this.#stage, doors: this.#doors }, this.#world);
  }

  /** Stops what the operations of billing required. */
  async close(): Promise<void> {
    await this.#books?.close();
  }

  async report(operation: Operation): Promise<OperationResult> {
    const { method, path, group } = operation;
    const served = this.#served.has(keyOf(method, path));
    const reported: OperationResult = {
      name: `${method} ${path}`,
      group,
      internal: operation.internal ?? false,
      served,
      promised: false,
      problems: [],
    };
    if (!served) return reported;
    let staged: Staged;
    try {
      staged = (await this.#books?.of(operation)) ?? (await this.#stage?.of(operation)) ?? {};
    } catch (error) {
      // One that cannot be prepared is reported like one that answers wrongly.
      return { ...reported, problems: [`could not be prepared: ${(error as Error).message}`] };
    }
    const address = await this.#address(operation, staged);
    if (!address) return { ...reported, problems: ['no record to act on was found'] };
    await this.#before(operation, address);
    const answer = await this.#ask(method, address, await this.#body(operation, staged), staged.token ?? this.#tokenFor(operation));
    reported.status = answer.status;
    reported.promised = answer.status === operation.status;
    if (!reported.promised) reported.problems.push(reasonOf(answer, operation.status));
    else if (operation.data !== null) reported.problems.push(...misfits(this.#facts, answer.body?.data, operation.data));
    const id = (answer.body?.data as { id?: string } | undefined)?.id;
    if (method === 'POST' && reported.promised && id) {
      this.#created.set(address, [...(this.#created.get(address) ?? []), id]);
      // A record that only exists below another one is changed under its own name.
      const kind = address.split('/').at(-1)!.replace(/s$/, '');
      if (!this.#ids.has(kind)) this.#ids.set(kind, [id]);
    }
    return reported;
  }

  /**
   * Creates what a deleting operation deletes: the same operation of the other path has deleted it before. The shift of a day ends before it
   * is approved, and lasts where the driver takes a break.
   */
  async #before({ method, path }: Operation, address: string): Promise<void> {
    const duty = /\/driver_days\/[^/]*\/approve$/.test(path) ? 'off_duty' : path.endsWith('/driver_day/break') ? 'on_duty' : undefined;
    if (duty) await this.#ask('PUT', `/v1/users/me/driver_state/${duty}`, {}, this.#world.driverToken);
    if (method !== 'DELETE') return;
    if (path.includes('/default_sites/')) await this.#ask('PUT', address);
    if (path.includes('/signatures/'))
      await this.#ask('PUT', address, formOf(path, path.endsWith('/dropoff') ? { image: '', name: 'Pat Gate' } : { image: '' }));
    if (path.endsWith('/image')) await this.#ask('POST', address, formOf(path, { image: '' }));
  }

  async #body({ method, path, body, media }: Operation, staged: Staged): Promise<unknown> {
    if (!body) return undefined;
    const name = `${method} ${path}`;
    if (name === 'POST /v1/direct_uploads') return announcement();
    const sampled = sample(this.#facts, body, (field) => this.#idOf(field, path));
    if (media?.[0] === 'multipart/form-data') return formOf(path, sampled as Record<string, unknown>);
    return (
      (await this.#doors.bodyOf(name)) ??
      (Array.isArray(sampled) ? sampled : { ...(sampled as object), ...bodyMore(name, this.#world), ...staged.body })
    );
  }

  /**
   * Returns the token of the caller: only drivers are on duty, and only an administrator of the platform may impersonate people and connect
   * companies.
   */
  #tokenFor({ method, path }: Operation): string {
    if (path.includes('/users/me/driver_')) return this.#world.driverToken;
    return path.endsWith('/impersonations') || `${method} ${path}` === 'POST /v1/accounts/connected'
      ? this.#world.platformAdmin
      : this.#token;
  }

  /** Returns the path with ids of existing records; undefined if one of its parameters has none. */
  async #address({ method, path, query }: Operation, staged: Staged): Promise<string | undefined> {
    let address = '';
    for (const part of path.split('/').slice(1)) {
      const name = /^\{(.*)\}$/.exec(part)?.[1];
      const ends = method === 'DELETE' && path.endsWith(`${address.split('/').at(-1)}/${part}`);
      const value = name === undefined ? part : (stagedFor(name, address, staged) ?? (await this.#valueOf(name, address, ends)));
      if (value === undefined) return undefined;
      address += `/${value}`;
    }
    return query?.includes('date*') ? `${address}?date=${new Date().toISOString().slice(0, 10)}` : address;
  }

  /** @param ends the record is deleted, so it must be one that the report created */
  async #valueOf(name: string, before: string, ends: boolean): Promise<string | undefined> {
    if (name === 'company-id') return this.#companyId;
    if (name === 'date') return new Date().toISOString().slice(0, 10);
    if (name === 'waypoint-type') return 'pickup';
    if (ends) {
      const created = this.#createdAt(before);
      if (created) return created;
    }
    if (before.endsWith('/accounts') && before.includes('/managed_companies/')) return this.#world.managedAccountId;
    // A managed company has other records than the caller's.
    const inside = before.includes('/managed_companies/') ? (await this.#list(before))[0] : undefined;
    const kind = name.replace(/-id$/, '').replaceAll('-', '_');
    const named = kind === 'id' ? before.split('/').at(-1)!.replace(/s$/, '') : kind;
    return inside ?? this.#ids.get(kind)?.[0] ?? (await this.#listOf(before))[0] ?? this.#ids.get(named)?.[0];
  }

  /** Returns what was created there, or elsewhere by the same name: `users/1/resource_scopes` are ended as `resource_scopes`. */
  #createdAt(before: string): string | undefined {
    const own = this.#created.get(before)?.pop();
    if (own) return own;
    const parts = before.split('/');
    const alike = [...this.#created.keys()].filter(
      (path) => path.split('/').at(-1) === parts.at(-1) && path.startsWith(parts.slice(0, -1).join('/')),
    );
    return this.#created.get(alike.sort((a, b) => a.length - b.length)[0] ?? '')?.pop();
  }

  #idOf(field: string, path: string): string | undefined {
    const kind = [...this.#ids.keys()].filter((one) => new RegExp(`(^|_)${one}_id`).test(field)).sort((a, b) => b.length - a.length)[0];
    const whose = path.includes('{managed-company-id}') ? 'managed_' : '';
    return kind && (this.#ids.get(whose + kind) ?? this.#ids.get(kind))?.[0];
  }

  /** Some kinds are listed by company only. */
  async #listOf(path: string): Promise<string[]> {
    const found = await this.#list(path);
    return found.length > 0 ? found : this.#list(path.replace('/v1', `/v1/companies/${this.#companyId}`));
  }

  async #list(path: string): Promise<string[]> {
    const { status, body } = await this.#ask('GET', `${path}${path.includes('?') ? '&' : '?'}page%5Blimit%5D=5`);
    if (status !== 200 || !Array.isArray(body?.data)) return [];
    return body.data.flatMap((one: { id?: string }) => one.id ?? []);
  }

  async #ask(method: string, path: string, body?: unknown, token = this.#token): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, body: isJson ? JSON.parse(text) : undefined };
  }
}

/** Returns the record that was created for a path parameter. */
function stagedFor(name: string, before: string, staged: Staged): string | undefined {
  const collection = before.split('/').at(-1)!;
  return name === 'id' ? (staged.ids?.[collection] ?? staged.ids?.[collection.replace(/s$/, '')]) : staged.ids?.[name.replace(/-id$/, '')];
}

const keyOf = (method: string, path: string): string => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`;

function reasonOf({ status, body }: Answer, promised: number): string {
  const items = (body?.error?.errors ?? []).slice(0, 3).map(({ field, message }) => `${field}: ${message}`);
  return `answered ${status} instead of ${promised}${items.length > 0 ? ` (${items.join('; ')})` : ''}`;
}
