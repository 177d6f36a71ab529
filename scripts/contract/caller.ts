import type { Facts, Operation } from './facts.ts';
import { misfits } from './fit.ts';
import { sample } from './sample.ts';

/** What came of an operation. */
export interface Told {
  name: string;
  group: string;
  internal: boolean;
  /** The product lists it in its OpenAPI document, path parameters aside. */
  served: boolean;
  /** Of the answer; undefined when it was not asked for. */
  status?: number;
  /** The status is the one the contract promises. */
  promised: boolean;
  /** Why it was not asked for, or where the answer is not what the contract says. */
  problems: string[];
}

interface Answer {
  status: number;
  body?: { data?: unknown; error?: { code?: string; errors?: { field?: string; message?: string }[] } };
}

/** Lists that have the ids of path parameters and of fields. */
const LISTS: Record<string, string> = {
  account: '/v1/accounts',
  company: '/v1/companies',
  driver: '/v1/drivers',
  equipment: '/v1/equipment',
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

/** Calls every operation of the contract on a live product, as somebody who may do everything. */
export class Caller {
  readonly #facts: Facts;
  readonly #url: string;
  readonly #token: string;
  readonly #companyId: string;
  readonly #served = new Set<string>();
  readonly #ids = new Map<string, string[]>();
  /** Ids that creating operations answered with, by the path they were sent to: what may be deleted. */
  readonly #created = new Map<string, string[]>();

  constructor(facts: Facts, access: { url: string; token: string; companyId: string }) {
    this.#facts = facts;
    this.#url = access.url;
    this.#token = access.token;
    this.#companyId = access.companyId;
  }

  /** Reads what the product serves, and the lists whose records paths and bodies name. */
  async look(): Promise<void> {
    const { paths } = (await (await fetch(`${this.#url}/docs/openapi.json`)).json()) as { paths: Record<string, object> };
    for (const [path, methods] of Object.entries(paths)) for (const method of Object.keys(methods)) this.#served.add(keyOf(method, path));
    for (const [kind, path] of Object.entries(LISTS)) this.#ids.set(kind, await this.#listOf(path));
    this.#ids.set('managed_company', await this.#manage());
    this.#ids.set('company', [this.#companyId, ...this.#ids.get('company')!]);
  }

  async tell(operation: Operation): Promise<Told> {
    const { method, path, group } = operation;
    const served = this.#served.has(keyOf(method, path));
    const told: Told = { name: `${method} ${path}`, group, internal: operation.internal ?? false, served, promised: false, problems: [] };
    if (!served) return told;
    const address = await this.#address(operation);
    if (!address) return { ...told, problems: ['no record to act on was found'] };
    const body = !operation.body ? undefined : sample(this.#facts, operation.body, (field) => this.#idOf(field, path));
    const answer = await this.#ask(method, address, body);
    told.status = answer.status;
    told.promised = answer.status === operation.status;
    if (!told.promised) told.problems.push(reasonOf(answer, operation.status));
    else if (operation.data !== null) told.problems.push(...misfits(this.#facts, answer.body?.data, operation.data));
    const id = (answer.body?.data as { id?: string } | undefined)?.id;
    if (method === 'POST' && told.promised && id) this.#created.set(address, [...(this.#created.get(address) ?? []), id]);
    return told;
  }

  /** The path with ids of records that are there; undefined when there is none for one of its parameters. */
  async #address({ method, path }: Operation): Promise<string | undefined> {
    let address = '';
    for (const part of path.split('/').slice(1)) {
      const name = /^\{(.*)\}$/.exec(part)?.[1];
      const value = name === undefined ? part : await this.#valueOf(name, address, method);
      if (value === undefined) return undefined;
      address += `/${value}`;
    }
    return address;
  }

  async #valueOf(name: string, before: string, method: string): Promise<string | undefined> {
    if (name === 'company-id') return this.#companyId;
    if (name === 'date') return new Date().toISOString().slice(0, 10);
    if (name === 'waypoint-type') return 'pickup';
    if (method === 'DELETE') {
      const created = this.#created.get(before)?.pop();
      if (created) return created;
    }
    const kind = name.replace(/-id$/, '').replaceAll('-', '_');
    return this.#ids.get(kind)?.[0] ?? (await this.#listOf(before))[0];
  }

  #idOf(field: string, path: string): string | undefined {
    const kind = Object.keys(LISTS)
      .filter((one) => new RegExp(`(^|_)${one}_id`).test(field))
      .sort((a, b) => b.length - a.length)[0];
    const whose = path.includes('{managed-company-id}') ? 'managed_' : '';
    return kind && (this.#ids.get(whose + kind) ?? this.#ids.get(kind))?.[0];
  }

  /** A company that was invited, with a truck, and is spoken for since. */
  async #manage(): Promise<string[]> {
    const invited = await this.#ask('POST', '/v1/accounts/invite', {
      name: 'Contract haulage',
      contact: { name: 'Con Tract', email: 'contract-haulage@example.com' },
      address: { thoroughfare: '2 Pit Rd', locality: 'Austin', administrative_area: 'TX', postal_code: '78701', country: 'US' },
      account_types: ['vendor'],
      auto_accept_orders: false,
      equipment: { name: 'Contract truck', equipment_type_name: 'Contract type' },
    });
    const id = (invited.body?.data as { connected_company?: { id: string } } | undefined)?.connected_company?.id;
    if (!id) return [];
    const managed = await this.#ask('PUT', `/v1/companies/${this.#companyId}/managed_companies/${id}`, {});
    if (managed.status !== 200) return [];
    const types = await this.#list(`/v1/companies/${this.#companyId}/managed_companies/${id}/equipment_types`);
    this.#ids.set('managed_equipment_type', types);
    return [id];
  }

  /** Some kinds are listed by company only. */
  async #listOf(path: string): Promise<string[]> {
    const found = await this.#list(path);
    return found.length > 0 ? found : this.#list(path.replace('/v1', `/v1/companies/${this.#companyId}`));
  }

  async #list(path: string): Promise<string[]> {
    const { status, body } = await this.#ask('GET', `${path}?page%5Blimit%5D=5`);
    if (status !== 200 || !Array.isArray(body?.data)) return [];
    return body.data.flatMap((one: { id?: string }) => one.id ?? []);
  }

  async #ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${this.#token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, body: isJson ? JSON.parse(text) : undefined };
  }
}

const keyOf = (method: string, path: string): string => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`;

function reasonOf({ status, body }: Answer, promised: number): string {
  const items = (body?.error?.errors ?? []).slice(0, 3).map(({ field, message }) => `${field}: ${message}`);
  return `answered ${status} instead of ${promised}${items.length > 0 ? ` (${items.join('; ')})` : ''}`;
}
