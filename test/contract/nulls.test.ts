import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type Facts, type Fields, readFacts, type Type } from '../../scripts/contract/facts.ts';
import { isChoice, isNullable } from '../../scripts/contract/fit.ts';

interface Schema {
  $ref?: string;
  nullable?: boolean;
  allOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}
interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>>;
  components: { schemas: Record<string, Schema> };
}

const facts: Facts = readFacts('test/contract');
const openapi = JSON.parse(readFileSync('schema/openapi.json', 'utf8')) as OpenApi;
const keyOf = (method: string, path: string) => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`;

const resolved = (schema: Schema): Schema => (schema.$ref ? resolved(openapi.components.schemas[schema.$ref.split('/').at(-1)!]!) : schema);

/** All fields of an object, wherever its schema has them. */
function fieldsOf(schema: Schema): Map<string, Schema> {
  const { allOf = [], oneOf = [], properties = {} } = resolved(schema);
  return new Map([...[...allOf, ...oneOf].flatMap((part) => [...fieldsOf(part)]), ...Object.entries(properties)]);
}

function itemsOf(schema: Schema): Schema | undefined {
  const { items, allOf } = resolved(schema);
  return items ?? (allOf?.[0] && itemsOf(allOf[0]));
}

const mayBeNull = (type: Type): boolean => (typeof type === 'string' ? / \| null$|^Nullable|^any$/.test(type) : isNullable(type));

/** Collects fields that may be null here and not in the contract, as `Order-Read service`. */
function differences(schema: Schema, type: Type, shape: string, found: Set<string>, depth = 0): void {
  if (depth > 8 || (typeof type === 'object' && isChoice(type))) return;
  if (typeof type === 'string') {
    const name = type.replace(/ \| null$/, '');
    if (facts.shapes[name]) differences(schema, facts.shapes[name], name, found, depth + 1);
    return;
  }
  if (isNullable(type)) {
    differences(schema, type.nullable, shape, found, depth + 1);
    return;
  }
  if (Array.isArray(type)) {
    const items = itemsOf(schema);
    if (items) differences(items, type[0]!, shape, found, depth + 1);
    return;
  }
  const ours = fieldsOf(schema);
  for (const [name, of] of Object.entries(type as Fields)) {
    const field = name.replace(/\?$/, '');
    const own = ours.get(field);
    if (!own) continue;
    // A field that the contract leaves out may be null in our answer.
    if (own.nullable && !name.endsWith('?') && !mayBeNull(of)) found.add(`${shape} ${field}`);
    differences(own, of, shape, found, depth + 1);
  }
}

/** Fields that are null in answers although the contract has no null there, and when. */
const NULLS: Record<string, string> = {
  'AddOn-Read percentage revenue_rate_value rate': 'an add-on has either a rate or a percentage',
  'AddOn-Read-Nested percentage rate': 'the same',
  'AddOnCharge-Read percentage revenue_rate_value rate total_amount':
    'money is null to people who may not see it, who request charges, too',
  'Address-Read-Nested thoroughfare locality administrative_area postal_code country':
    'an address is what somebody entered, or a geocoder found',
  'AutoAddOnAssignment-Read revenue_rate_value': 'an add-on has either a rate or a percentage',
  'Company-Read address primary_contact billing_contact': 'a company that another one invited has given none yet',
  'Equipment-Read equipment_id': 'a truck need not have a number',
  'Equipment-Read-Default-Nested equipment_id': 'the same',
  'Equipment-Read-Nested equipment_id': 'the same',
  'Equipment-Read-Typeahead equipment_id': 'the same',
  'Invoice-Read add_on_charges_total_amount invoice_line_items_total_amount total_amount': 'money that the viewer may not see',
  'Invoice-Read-Nested add_on_charges_total_amount invoice_line_items_total_amount total_amount': 'the same',
  'InvoiceLineItem-Read rate rate_type revenue_rate_value total_amount': 'the same',
  'Settlement-Read add_on_charges_total_amount adjustments_total_amount invoices_total_amount total_amount': 'the same',
  'SettlementEmailDelivery-Read sender_user': 'a program sent it',
  'SettlementLineItem-Read rate_value rebill_total_amount total_amount': 'the same',
  'Job-Invoicing-Read service': 'an order need not say what is done',
  'Job-Read service': 'the same',
  'Order-Read equipment_type service truck_count': 'an order need not say by which trucks, how many, or what is done',
  'Order-Read-Nested equipment_type': 'the same',
};

test('a field may be null only where the contract says so, or with a reason', () => {
  const operations = new Map(
    Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [keyOf(method, path), operation] as const),
    ),
  );
  const found = new Set<string>();
  for (const { method, path, status, data } of facts.operations) {
    const schema = operations.get(keyOf(method, path))?.responses[status]?.content?.['application/json']?.schema;
    const answered = schema && fieldsOf(schema).get('data');
    if (answered && data) differences(answered, data, typeof data === 'string' ? data : keyOf(method, path), found);
  }
  const expected = Object.keys(NULLS).flatMap((line) => {
    const [shape, ...fields] = line.split(' ');
    return fields.map((field) => `${shape} ${field}`);
  });
  expect([...found].sort()).toEqual(expected.sort());
});
