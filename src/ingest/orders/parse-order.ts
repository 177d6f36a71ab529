import { importedDefaultsOf, ORDER_FIELDS } from '../../dispatch/fields/work-fields.ts';
import { CreateOrderInput, UpdateOrderInput } from '../../dispatch/orders/order.inputs.ts';
import { IMPORTED_STATES } from '../../dispatch/orders/write-orders.ts';
import { LIMITS, rootLimits } from '../payload/limits.ts';
import type { Named, OrderDraft } from '../payload/order-draft.ts';
import { type Parsed, parsedBy } from '../payload/parsed.ts';
import { type Json, PayloadReader } from '../payload/payload-reader.ts';
import { readContacts, readPeople } from '../payload/read-people.ts';
import { readPhases } from '../payload/read-phases.ts';
import { onePerWaypoint, readSites } from '../payload/read-sites.ts';
import { rootFieldsOf } from '../payload/root-fields.ts';
import { warnOfUnits } from '../payload/unit-warnings.ts';
import { fieldsOf, warnOfUnknownFields } from '../payload/unknown-fields.ts';

const ROOT = rootFieldsOf(ORDER_FIELDS);
/** Fields that cannot be empty: null sets them back. */
const NEVER_EMPTY = Object.fromEntries(Object.entries(importedDefaultsOf(ORDER_FIELDS)).filter(([column]) => ROOT.wholes.includes(column)));
const ROOT_LIMITS = {
  ...rootLimits(UpdateOrderInput, ['external_id', ...ROOT.texts, ...ROOT.decimals, ...ROOT.wholes]),
  // A new order has a truck at least.
  ...rootLimits(CreateOrderInput, ['truck_count']),
};
const FIELDS = fieldsOf(ROOT, [
  ...['external_id', 'load_at', 'job_start_at', 'state', 'truck_count', 'service', 'dispatch_number', 'metadata'],
  ...['customer', 'material', 'supplier', 'equipment_type', 'sites', 'phases', 'foremen', 'collaborators', 'salespeople', 'vendors'],
]);

/**
 * Reads one order payload (SPEC "POST /ingest/orders"). A missing or wrong required field fails the record; what SPEC drops or guesses
 * silently is done with a warning.
 * @param zone the company's, for a `load_at` without an offset
 * @param region ISO country for telephone numbers without a country code
 */
export function parseOrder(payload: Json, zone: string, region: 'US' | 'CA'): Parsed<OrderDraft> {
  const reader = new OrderReader(payload, zone, region);
  return parsedBy(reader, reader.read());
}

class OrderReader extends PayloadReader {
  readonly limits = ROOT_LIMITS;

  read(): OrderDraft {
    warnOfUnknownFields(this.payload, FIELDS, this.warnings);
    const externalId = this.required('external_id', this.limits.external_id);
    const customer = this.requiredCustomer();
    const draft: OrderDraft = {
      externalId: externalId ?? '',
      loadAt: this.requiredInstant('load_at'),
      state: this.#state(),
      customer,
      material: this.named('material'),
      supplier: this.named('supplier'),
      equipmentType: this.named('equipment_type'),
      service: this.text(this.payload.service, '/service'),
      sites: onePerWaypoint(this, readSites(this)),
      foremen: readPeople(this, 'foremen'),
      collaborators: readPeople(this, 'collaborators'),
      salespeople: readPeople(this, 'salespeople'),
      vendors: this.#vendors(),
      dispatchNumber: this.dispatchNumber(),
      contacts: readContacts(this),
      phases: readPhases(this),
      truckCount: this.whole('truck_count'),
      root: this.#root(),
      warnings: this.warnings,
    };
    return draft;
  }

  /** An order goes to one vendor, the first. The others are found or created, with a warning. */
  #vendors(): Named[] {
    const all = this.list('vendors').flatMap((item, i) => this.#vendor(item, `/vendors/${i}`) ?? []);
    for (const { pointer, name, externalId } of all.slice(1)) this.warn('second_vendor', pointer, name ?? externalId);
    return all;
  }

  #vendor(given: unknown, pointer: string): Named | undefined {
    const before = this.problems.length;
    const vendor = this.namedOf(given, pointer, LIMITS.vendors);
    // A null was reported with the list.
    if (!vendor && given !== null && this.problems.length === before) this.warn('empty_item', pointer, given);
    return vendor;
  }

  #state(): OrderDraft['state'] {
    const text = this.text(this.payload.state, '/state');
    if (text === undefined) return undefined;
    const state = IMPORTED_STATES.find((one) => one === text);
    if (!state)
      this.problems.push({ code: 'invalid_enum', pointer: '/state', key: 'not_one_of', params: { values: IMPORTED_STATES.join(', ') } });
    return state;
  }

  #root(): OrderDraft['root'] {
    const root = { ...this.columns(ROOT), ...this.cleared(['material', 'supplier', 'equipment_type', 'dispatch_number']) };
    for (const [field, otherwise] of Object.entries(NEVER_EMPTY)) if (root[field] === null) root[field] = otherwise as number;
    warnOfUnits(this, root, ['load_unit_of_measure', 'unit_of_measure']);
    if (this.payload.job_start_at !== undefined) root.job_start_at = this.instant('job_start_at')?.toISOString() ?? null;
    return root;
  }
}
