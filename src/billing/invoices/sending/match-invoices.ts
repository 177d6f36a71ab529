import type DataLoader from 'dataloader';
import { Field, ID, ObjectType } from 'type-graphql';
import { viewerOf } from '../../../platform/authz/authorization.ts';
import type { Context } from '../../../platform/context.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { Decimal, DecimalScalar } from '../../../platform/decimal.ts';
import { stringEnum } from '../../../platform/model/columns.ts';
import { loaderOf } from '../../../platform/read/loader.ts';
import { InvoiceLineItemType } from '../invoice-enums.ts';

export const InvoiceMatchResult = stringEnum('InvoiceMatchResult', [
  'equal',
  'price_differs',
  'quantity_differs',
  'only_theirs',
  'only_ours',
]);
export type InvoiceMatchResult = keyof typeof InvoiceMatchResult;

@ObjectType({ simpleResolvers: true, description: 'The bill of one side for a load.' })
export class MatchedLine {
  @Field(() => DecimalScalar) quantity!: string;
  @Field(() => DecimalScalar) rate!: string;
  @Field(() => DecimalScalar) totalAmount!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A line of an invoice that was sent to you, next to that of your own payable.' })
export class InvoiceMatchLine {
  @Field(() => ID, { nullable: true, description: 'Null of a line that is for the whole job.' }) loadId!: string | null;
  @Field(() => InvoiceLineItemType) lineItemType!: InvoiceLineItemType;
  @Field(() => String, { nullable: true }) name!: string | null;
  @Field(() => InvoiceMatchResult, { description: 'Whether both say the same.' }) result!: InvoiceMatchResult;
  @Field(() => MatchedLine, { nullable: true, description: 'The line that was sent.' }) theirs!: MatchedLine | null;
  @Field(() => MatchedLine, { nullable: true, description: 'The line of your payable.' }) ours!: MatchedLine | null;
}

@ObjectType({ simpleResolvers: true, description: 'An invoice that a vendor sent to you, compared with what you owe by your own books.' })
export class InvoiceMatch {
  @Field(() => ID, { description: 'The invoice that was sent.' }) receivedInvoiceId!: string;
  @Field(() => ID, { description: 'Your own payable.' }) payableId!: string;
  @Field(() => DecimalScalar, { description: 'The total of the invoice that was sent.' }) theirTotalAmount!: string;
  @Field(() => DecimalScalar, { description: 'The total of your payable.' }) ourTotalAmount!: string;
  @Field(() => [InvoiceMatchLine], { description: 'Each line of either.' }) lines!: InvoiceMatchLine[];
}

type Row = Omit<InvoiceMatch, 'lines'> & { lines: Omit<InvoiceMatchLine, 'result'>[] };

const figures = (
  t: string,
): string => `case when ${t}.id is not null then jsonb_build_object('quantity', ${t}.quantity::text, 'rate', ${t}.rate::text,
  'totalAmount', ${t}.total_amount::text) end`;

// Both are the same part of one link: what the receiver sent, and what the company that passed the work on owes for it.
const MATCHES = `
select r.id as "receivedInvoiceId", p.id as "payableId", r.total_amount::text as "theirTotalAmount", p.total_amount::text as "ourTotalAmount",
  coalesce((select jsonb_agg(jsonb_build_object('loadId', coalesce(theirs.load_id, ours.load_id), 'lineItemType', line_item_type, 'name', coalesce(theirs.name, ours.name),
      'theirs', ${figures('theirs')}, 'ours', ${figures('ours')}) order by coalesce(theirs.ordinality, ours.ordinality), line_item_type)
    from (select *, coalesce(load_id::text, '') as about from invoice_line_item where invoice_id = r.id) theirs
    full join (select *, coalesce(load_id::text, '') as about from invoice_line_item where invoice_id = p.id) ours
      using (about, line_item_type, part)), '[]') as lines
from invoice r join invoice p on p.job_assignment_id = r.job_assignment_id and p.company_id = r.sent_to_company_id and p.part = r.part
where r.side = 'receivable' and p.side = 'payable' and p.state <> 'voided' and r.state <> 'voided' and r.sent_to_company_id = any($2::uuid[])
  and (r.id = any($1::uuid[]) or p.id = any($1::uuid[]))`;

/**
 * Compares invoices that vendors sent with the viewer's own payables of the same links, by the id of either, batched (BILLING B8). Null for
 * invoices that nobody sent or received, and for viewers who do not see what vendors cost.
 */
export const matchesOf = (ctx: Context): DataLoader<string, InvoiceMatch | null> =>
  loaderOf(ctx, 'matchesOfInvoices', async (ids) => {
    const viewer = viewerOf(ctx);
    if (!viewer.can('view_vendor_rates')) return ids.map(() => null);
    const rows = await queryOf<Row>(ctx, MATCHES, [ids, viewer.companyIds]);
    const matches = rows.map((row): InvoiceMatch => ({ ...row, lines: row.lines.map((line) => ({ ...line, result: resultOf(line) })) }));
    const byId = new Map(matches.flatMap((match) => [[match.payableId, match] as const, [match.receivedInvoiceId, match] as const]));
    return ids.map((id) => byId.get(id) ?? null);
  });

function resultOf({ theirs, ours }: Pick<InvoiceMatchLine, 'theirs' | 'ours'>): InvoiceMatchResult {
  if (!ours) return 'only_theirs';
  if (!theirs) return 'only_ours';
  const differs = (field: keyof MatchedLine) => !new Decimal(theirs[field]).eq(ours[field]);
  if (differs('quantity')) return 'quantity_differs';
  return differs('rate') || differs('totalAmount') ? 'price_differs' : 'equal';
}
