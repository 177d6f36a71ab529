import { Account } from '../../directory/accounts/account.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { closedThroughSql } from '../../dispatch/access/closed-books.ts';
import type { BulkAction } from '../../dispatch/bulk/bulk-action.entity.ts';
import { defineBulk } from '../../dispatch/bulk/bulk-kinds.ts';
import { enqueueForParties } from '../../dispatch/bulk/enqueue.ts';
import { zoneOf } from '../../dispatch/model/company-day.ts';
import { allow, companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import { queryIn, queryOf } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { limitsFor } from '../../platform/model/limits.ts';
import { localDate } from '../../platform/time.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { isLeftOutSql, isOnItsWaySql, ON_ITS_WAY, SETTLED } from '../invoices/unsettled.sql.ts';
import { MOST, type SettlementForm, settleLocked, togetherBy } from './create-settlement.ts';
import { type InvoiceToSettle, lockInvoices } from './facts-of-invoices.ts';
import { type BulkSettlementInput, SettledParty } from './settlement.inputs.ts';

const model = 'Settlement';
/** The most days of a period, which is a year. */
const MOST_DAYS = 366;
const DAY = 86_400_000;

/** Where the ids of a kind are in the request. */
const IDS_OF = { customers: 'customerAccountIds', vendors: 'vendorAccountIds', drivers: 'driverIds' } as const;

interface Party {
  customerAccountId: string | null;
  vendorAccountId: string | null;
  driverId: string | null;
}
interface PartyInput extends Party {
  startsOn: string;
  endsOn: string;
  form: SettlementForm;
  inOpenPeriod: boolean;
  /** Only names what is left out. */
  leftOut?: boolean;
}

/** The invoices of a period that are settled: those that count in the open one, or all of them; or else those that were left out of the first. */
type Scope = 'open' | 'all' | 'leftOut';
const SCOPES: Record<Scope, string> = {
  open: ` and coalesce(i.posting_date, i.service_date) > coalesce(${closedThroughSql('$1')}, '-infinity')`,
  all: '',
  leftOut: ` and ${isLeftOutSql('i')}`,
};

/** Approved invoices of a period that are in no settlement. @param limits those of the viewer */
const free = (limits: string, scope: Scope): string => `i.company_id = $1 and i.service_date between $2 and $3
  and i.state in (${SETTLED.map((state) => `'${state}'`).join(', ')})
  and not ${isOnItsWaySql('i')} and not exists (select from settlement_invoice x where x.invoice_id = i.id and x.live)${SCOPES[scope]}${limits}`;

const partiesOf = (limits: string, scope: Scope): string => `with p as (
    select distinct i.customer_account_id, i.vendor_account_id, i.payee_driver_id from invoice i where ${free(limits, scope)})
  select customer_account_id as "customerAccountId", vendor_account_id as "vendorAccountId", payee_driver_id as "driverId" from p
  where num_nonnulls(customer_account_id, vendor_account_id, payee_driver_id) = 1
    and (customer_account_id is null or ('customers' = any($4) and ($5::uuid[] is null or customer_account_id = any($5))))
    and (vendor_account_id is null or ('vendors' = any($4) and ($6::uuid[] is null or vendor_account_id = any($6))))
    and (payee_driver_id is null or ('drivers' = any($4) and ($7::uuid[] is null or payee_driver_id = any($7))))
    and ($8::text[] is null or exists (select from billing_profile bp where bp.company_id = $1 and bp.id = ${firstKnown('customer_account_id', 'vendor_account_id')}
      and bp.cadence = any($8)))
  order by 1, 2, 3`;

const invoicesOf = (
  limits: string,
  scope: Scope,
): string => `select i.id, i.invoice_id as number from invoice i where ${free(limits, scope)}
  and i.customer_account_id is not distinct from $4::uuid and i.vendor_account_id is not distinct from $5::uuid
  and i.payee_driver_id is not distinct from $6::uuid order by i.service_date, i.id`;

/**
 * Creates settlements of what was approved for a period, in the background: one for each customer, vendor and driver (BILLING B9). Who has
 * nothing that is free gets none, so that the same request again creates nothing. For whom invoices are left out because they count in a closed period, an
 * item of its own fails and names them.
 * @throws Missing, Denied, Invalid
 */
export async function bulkCreateSettlements(ctx: Context, input: BulkSettlementInput, companyId?: string | null): Promise<BulkAction> {
  allow(ctx, 'create_settlement');
  const company = companyOf(ctx, companyId);
  const items: ErrorItem[] = [];
  const zone = await zoneOf(ctx, company);
  const [startsOn, endsOn] = [localDate(input.startDate, zone), localDate(input.endDate, zone)];
  if (input.startDate > input.endDate) items.push({ model, field: 'startDate', key: 'after_the_end' });
  else if ((Date.parse(endsOn) - Date.parse(startsOn)) / DAY >= MOST_DAYS)
    items.push({ model, field: 'endDate', key: 'period_too_long', params: { max: MOST_DAYS } });
  const kinds = input.bulkCreateFor ?? (Object.keys(SettledParty) as SettledParty[]);
  if (kinds.length === 0) items.push({ model, field: 'bulkCreateFor', key: 'required' });
  for (const [kind, field] of Object.entries(IDS_OF))
    if (kinds.length > 0 && !kinds.includes(kind as SettledParty) && (input[field]?.length ?? 0) > 0)
      items.push({ model, field, key: 'party_not_settled', params: { kind } });
  await resolveReferences(
    ctx,
    input,
    { customers: [Account, IDS_OF.customers], vendors: [Account, IDS_OF.vendors], drivers: [User, IDS_OF.drivers] },
    { model, companyId: company, items },
  );
  if (items.length > 0) throw new Invalid(items);
  const { customerAccountIds = null, vendorAccountIds = null, driverIds = null, settlementConfig } = input;
  const inOpenPeriod = input.inOpenPeriod ?? false;
  const values: unknown[] = [company, startsOn, endsOn, kinds, customerAccountIds, vendorAccountIds, driverIds, input.cadences ?? null];
  const limits = limitsFor(viewerOf(ctx), Invoice, 'i', values);
  const parties = await queryOf<Party>(ctx, partiesOf(limits, inOpenPeriod ? 'all' : 'open'), values);
  const lacking = inOpenPeriod ? [] : await queryOf<Party>(ctx, partiesOf(limits, 'leftOut'), values);
  const period = { startsOn, endsOn, form: { ...settlementConfig }, inOpenPeriod };
  const wishes = [
    ...parties.map((party) => ({ ...party, input: { ...party, ...period } })),
    ...lacking.map((party) => ({ ...party, input: { ...party, ...period, leftOut: true } })),
  ];
  return enqueueForParties(ctx, CREATE_SETTLEMENTS, wishes, company);
}

/** Settles what is free of one customer, vendor or driver. Each locks its own invoices and then the number, and no two wait for each other. */
export const CREATE_SETTLEMENTS = defineBulk<PartyInput>(
  'create_settlements',
  async (tx, { companyId, input }) => {
    allow(tx, 'create_settlement');
    const company = companyOf(tx, companyId);
    if (input.leftOut) return nameLeftOut(tx, company, input);
    for (const invoices of await lockFree(tx, company, input)) await settleLocked(tx, invoices, input.form);
  },
  { alone: true, model },
);

interface Found {
  id: string;
  number: string;
}
/** Returns the invoices of somebody that a scope has, the earliest first. */
async function foundOf(tx: TxContext, company: string, input: PartyInput, scope: Scope): Promise<Found[]> {
  const { startsOn, endsOn, customerAccountId, vendorAccountId, driverId } = input;
  const values: unknown[] = [company, startsOn, endsOn, customerAccountId, vendorAccountId, driverId];
  const limits = limitsFor(viewerOf(tx), Invoice, 'i', values);
  return queryIn<Found>(tx.em, invoicesOf(limits, scope), values);
}

/** Numbers of invoices that a message names. */
const NAMED = 10;

/** @throws Invalid naming what nobody settles without saying so; nothing if somebody has settled it meanwhile */
async function nameLeftOut(tx: TxContext, company: string, input: PartyInput): Promise<void> {
  const numbers = (await foundOf(tx, company, input, 'leftOut')).map(({ number }) => number);
  if (numbers.length === 0) return;
  const invoices = numbers.slice(0, NAMED).join(', ') + (numbers.length > NAMED ? ', …' : '');
  throw new Invalid([{ model, field: 'inOpenPeriod', key: 'invoices_left_out', params: { count: numbers.length, invoices } }]);
}

/** Locks what is free of somebody, in parts of which each can be a settlement: of one currency, of one job or purchase order where its profile
 * says so, and not too large. */
async function lockFree(tx: TxContext, company: string, input: PartyInput): Promise<InvoiceToSettle[][]> {
  const ids = (await foundOf(tx, company, input, input.inOpenPeriod ? 'all' : 'open')).map(({ id }) => id);
  // Somebody else may have settled them until they were locked, or taken an approval back.
  const found = (await lockInvoices(tx, ids, [company])).filter(
    ({ settlement, state, export_state }) => !settlement && SETTLED.includes(state) && !ON_ITS_WAY.includes(export_state),
  );
  return [...Map.groupBy(found, togetherBy).values()].flatMap((invoices) =>
    Array.from({ length: Math.ceil(invoices.length / MOST) }, (_, at) => invoices.slice(at * MOST, (at + 1) * MOST)),
  );
}
