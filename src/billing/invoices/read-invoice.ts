import type { GraphQLResolveInfo } from 'graphql';
import { denial, find, viewerOf } from '../../platform/authz/authorization.ts';
import { allOrOwn } from '../../platform/authz/field-permissions.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Invoice } from './invoice.entity.ts';

/** Who reads invoices: those who see settlements, and drivers what they are paid. */
export const READERS = allOrOwn('view_settlements');

export const readsInvoices = (ctx: Context): boolean => READERS.some((permission) => viewerOf(ctx).can(permission));

/** @throws Denied unless the viewer reads invoices at all */
export function mayReadInvoices(ctx: Context): void {
  if (!readsInvoices(ctx)) throw denial(viewerOf(ctx), 'view_settlements');
}

/** An invoice that the viewer reads, and where lists of its parts are read. */
export interface ReadableInvoice {
  id: string;
  /** The company that reads it: its own, or the one that it was sent to. */
  companyId: string;
  /** It is in the books of another company, which sent it. */
  shared: boolean;
}

/** Finds an invoice in the viewer's books, or one that was sent to them. @throws Missing */
export async function findReadable(ctx: Context, { id, companyId }: RecordPath): Promise<ReadableInvoice> {
  const { company, sentToCompanyId, id: found } = await find(ctx, Invoice, id, { companyId, shared: true });
  const isOwn = (companyId ? [companyId.toLowerCase()] : viewerOf(ctx).companyIds).includes(company.id);
  return { id: found, companyId: isOwn ? company.id : sentToCompanyId!, shared: !isOwn };
}

/** Reads an invoice in the viewer's books, or one that was sent to them, as its selection asks for it. @throws Missing */
export async function readInvoice(ctx: Context, info: GraphQLResolveInfo, path: RecordPath): Promise<Invoice> {
  const { id, companyId, shared } = await findReadable(ctx, path);
  return ctx.read.one(Invoice, info, { id, companyId, shared });
}
