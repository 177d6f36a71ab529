import type { GraphQLResolveInfo } from 'graphql';
import { denial, viewerOf } from '../../platform/authz/authorization.ts';
import { allOrOwn } from '../../platform/authz/field-permissions.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import type { Where } from '../../platform/read/run.ts';
import { Invoice } from './invoice.entity.ts';
import type { InvoiceSide } from './invoice-enums.ts';
import { sideOfRates } from './rate-by-hand.ts';
import { findSent, type Readable } from './sending/sent-records.ts';

/** The permissions to read invoices: people who see settlements, and drivers for their own pay. */
export const READERS = allOrOwn('view_settlements');

export const readsInvoices = (ctx: Context): boolean => READERS.some((permission) => viewerOf(ctx).can(permission));

/** @throws Denied unless the viewer reads invoices at all */
export function mayReadInvoices(ctx: Context): void {
  if (!readsInvoices(ctx)) throw denial(viewerOf(ctx), 'view_settlements');
}

/** Whether the viewer sees amounts of a side: those who see its rates, and the driver who is paid. */
export function seesAmounts(ctx: Context, side: InvoiceSide, payee: { id: string } | null | undefined): boolean {
  const viewer = viewerOf(ctx);
  const permission = `view_${sideOfRates(side, payee)}_rates`;
  return viewer.can(permission) || (payee?.id === viewer.id && viewer.can(`${permission}:own`));
}

/** Finds an invoice in the viewer's books, or one that was sent to them. @throws Missing */
export const findReadable = async (ctx: Context, path: RecordPath): Promise<Readable> => (await findSent(ctx, Invoice, path)).reads;

/** Reads an invoice in the viewer's books, or one that was sent to them, as its selection asks for it. @throws Missing */
export async function readInvoice(ctx: Context, info: GraphQLResolveInfo, path: RecordPath, asOf?: Date | null): Promise<Invoice> {
  const { id, companyId, shared } = await findReadable(ctx, path);
  return ctx.read.one(Invoice, info, { id, companyId, shared, asOf });
}

/** The job or the day, and the side, of an invoice. */
export type Invoiced = ({ job: string } | { driverDay: string }) & { side: InvoiceSide };

/** Reads the live invoice of work in the viewer's books, the first part of it; not what suppliers get for material. @throws Missing while there is none */
export async function readLiveInvoice(ctx: Context, info: GraphQLResolveInfo, of: Invoiced, companyId?: string | null): Promise<Invoice> {
  const companies = companyId ? [companyId.toLowerCase()] : [...viewerOf(ctx).companyIds];
  const live = { ...of, part: 1, ofMaterial: false, state: { $ne: 'voided' }, company: { $in: companies } } as const;
  const found = await ctx.em.findOne(Invoice, live, { filters: { tenant: false }, fields: ['id'], orderBy: { id: 'asc' } });
  if (!found) throw new Missing();
  return ctx.read.one(Invoice, info, { id: found.id, companyId });
}

/** The charges that are applied to an invoice or a settlement. */
export const appliedTo = (id: string): Where[] => [
  { key: 'applied to', sql: (t, p) => `${t}.add_on_applicable_id = ${p}`, cast: 'uuid', value: id },
];
