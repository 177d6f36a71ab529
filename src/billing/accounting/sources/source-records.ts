import { type Answer, objectsOf } from '../../../platform/http/remote.ts';
import { isUuid, uuidOfText } from '../../../platform/ids.ts';
import { isObject } from '../../../platform/json/objects.ts';
import type { ListKind, SourceRecord } from './accounting-source.ts';

/** Characters of what is kept of a text. */
const MOST_CHARACTERS = 500;
const STATUSES = ['Active', 'Archived', 'Inactive', 'Unknown'];
/** The ledger accounts that documents are posted to; the rest of a chart of accounts has no meaning here. */
const LEDGER_TYPES = ['AccountsPayable', 'AccountsReceivable'];
const AMOUNT = /^-?\d{1,14}(\.\d{1,4})?$/;

const textOf = (value: unknown): string | null =>
  (typeof value === 'string' || typeof value === 'number') && String(value).trim() !== ''
    ? String(value).trim().slice(0, MOST_CHARACTERS)
    : null;
const amountOf = (value: unknown): string | null => {
  const text = textOf(value);
  return text !== null && AMOUNT.test(text) ? text : null;
};
/** Absent is active: most systems list what is in use, and do not say so. */
const statusOf = (value: unknown, known: readonly string[], otherwise: string): string => {
  const text = textOf(value)?.toLowerCase();
  return text === undefined ? 'Active' : (known.find((one) => one.toLowerCase() === text) ?? otherwise);
};

const addressOf = (sent: Answer) => ({
  street1: textOf(sent.street_1),
  street2: textOf(sent.street_2),
  city: textOf(sent.city),
  state: textOf(sent.state),
  country: textOf(sent.country),
  postalCode: textOf(sent.postal_code),
});

/** A UUID that a text always has: the contract's ids of customers are UUIDs, those of accounting systems are anything. */
const uuidOf = (key: string): string => (isUuid(key) ? key.toLowerCase() : uuidOfText(key));

/** The reader of the records of each list; it returns undefined for what is left out. */
const READ: Record<ListKind, (sent: Answer, key: string, name: string) => object | undefined> = {
  customers: (sent, key, name) => ({
    ...{ id: uuidOf(key), name, status: statusOf(sent.status, STATUSES, 'Unknown') },
    addresses: objectsOf(sent.addresses).map(addressOf),
  }),
  vendors: (sent, key, name) => ({
    ...{ id: key, name, alternateName: textOf(sent.alternate_name) },
    // The contract has no unknown vendors.
    status: statusOf(sent.status, STATUSES.slice(0, 3), 'Inactive'),
    address: isObject(sent.address) ? addressOf(sent.address) : null,
  }),
  items: (sent, key, name) => ({
    ...{ id: key, name, status: statusOf(sent.status, STATUSES, 'Unknown'), type: textOf(sent.type) },
    ...{ costUnitOfMeasure: textOf(sent.cost_unit_of_measure), priceUnitOfMeasure: textOf(sent.price_unit_of_measure) },
    ...{ unitCost: amountOf(sent.unit_cost), unitPrice: amountOf(sent.unit_price) },
  }),
  ledger_accounts: (sent, key, name) => {
    const type = LEDGER_TYPES.find((one) => one === sent.type);
    const status = statusOf(sent.status, ['Active', 'Archived', 'Pending', 'Unknown'], 'Unknown');
    return type === undefined ? undefined : { id: key, name, type, status };
  },
};

/** The records of a list that have an id and a name. What else is in the list is left out. */
export const recordsOf = (kind: ListKind, sent: unknown): SourceRecord[] =>
  objectsOf(sent).flatMap((one) => {
    const [key, name] = [textOf(one.id), textOf(one.name)];
    const data = key && name ? READ[kind](one, key, name) : undefined;
    return data ? [{ key: key!, externalId: textOf(one.external_id), data }] : [];
  });
