import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters, defineSearch, type FilterSpec } from '../../platform/read/grammar.ts';
import { orArchived, RefusesArchived, ReportsArchived, reportArchived } from '../../platform/read/past/archived.ts';
import { UpdatedSince } from '../../platform/read/time-range.ts';
import { DateTime, Json } from '../../platform/scalars.ts';
import { ImportKind } from '../importer.ts';
import { ImportBatch } from '../ledger/import-batch.entity.ts';
import { ImportedRecord, ImportedRecordState } from '../ledger/imported-record.entity.ts';
import { orderImporter } from '../orders/import-order.ts';
import { projectImporter } from '../projects/import-project.ts';
import { ticketImporter } from '../tickets/import-ticket.ts';
import { acceptBatch, ImportAnswer } from './import-answer.ts';
import { mayReadBatch, readableBatches } from './own-batches.ts';
import { ImportStatus, importStatus } from './status.ts';

const DRY_RUN = 'Only reports what would happen to each element, and stores nothing.';
const METADATA = 'An object that is stored with the batch. It has no effect.';
/** Also of sheets. */
export const STRICT = 'An element fails if something in it has to be guessed, such as which of several namesakes is meant.';
const DAY = 86_400_000;
/** The days that the list of imported records shows by default (SPEC). */
const DEFAULT_DAYS = 7;

@InputType()
export class ImportedRecordFilter {
  @Field(() => [ImportKind], { nullable: true }) kinds?: ImportKind[] | null;
  @Field(() => ImportKind, { nullable: true }) kind?: ImportKind | null;
  @Field(() => [ImportedRecordState], { nullable: true }) states?: ImportedRecordState[] | null;
  @Field(() => ImportedRecordState, { nullable: true }) state?: ImportedRecordState | null;
  @Field(() => [String], { nullable: true }) importedFor?: string[] | null;
  @Field(() => ID, { nullable: true }) batchId?: string | null;
  /** Start of `last_error`, such as `missing_field`. */
  @Field(() => String, { nullable: true }) errorCode?: string | null;
  /** Received at or after; seven days ago if no time is sent. */
  @Field(() => DateTime, { nullable: true }) receivedAfter?: Date | null;
  /** Received before. */
  @Field(() => DateTime, { nullable: true }) receivedBefore?: Date | null;
  /** With a warning of any of these codes. */
  @Field(() => [String], { nullable: true }) warningCode?: string[] | null;
  @Field(() => Boolean, { nullable: true }) hasWarnings?: boolean | null;
  /** Failed, or with warnings. */
  @Field(() => Boolean, { nullable: true }) troubled?: boolean | null;
  @UpdatedSince() updatedSince?: Date | null;
}

@InputType()
class ImportedRecordSearch {
  @Field(() => String, { nullable: true }) datagrid?: string | null;
}

@ArgsType()
class ImportedRecordListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => ImportedRecordFilter, { nullable: true }) filter?: ImportedRecordFilter | null;
  @Field(() => ImportedRecordSearch, { nullable: true }) search?: ImportedRecordSearch | null;
}

const RECORD_FILTERS: Record<Exclude<keyof ImportedRecordFilter, 'updatedSince'>, FilterSpec> = {
  kinds: { sql: (t, p) => `${t}.kind = any(${p})`, cast: 'text[]' },
  kind: { sql: (t, p) => `${t}.kind = ${p}`, cast: 'text' },
  states: { sql: (t, p) => `${t}.state = any(${p})`, cast: 'text[]' },
  state: { sql: (t, p) => `${t}.state = ${p}`, cast: 'text' },
  importedFor: { sql: (t, p) => `${t}.imported_for = any(${p})`, cast: 'text[]' },
  batchId: { sql: (t, p) => `${t}.batch_id = ${p}`, cast: 'uuid' },
  errorCode: { sql: (t, p) => `split_part(${t}.last_error, ':', 1) = ${p}`, cast: 'text' },
  receivedAfter: { sql: (t, p) => `${t}.import_received_at >= ${p}`, cast: 'timestamptz' },
  receivedBefore: { sql: (t, p) => `${t}.import_received_at < ${p}`, cast: 'timestamptz' },
  warningCode: {
    sql: (t, p) => `exists (select from json_array_elements(${t}.warnings) w where w ->> 'code' = any(${p}))`,
    cast: 'text[]',
  },
  hasWarnings: { sql: (t, p) => `(json_array_length(${t}.warnings) > 0) = ${p}`, cast: 'boolean' },
  troubled: { sql: (t, p) => `(${t}.state in ('failed', 'exhausted') or ${t}.warnings::text <> '[]') = ${p}`, cast: 'boolean' },
};
export const importedRecordFilters = defineFilters(ImportedRecord, RECORD_FILTERS as Record<string, FilterSpec>);
export const importedRecordSearch = defineSearch(ImportedRecord, (t, p) => `${t}.imported_for ilike ${p} or ${t}.last_error ilike ${p}`);

/** Returns the filter of a list: the last seven days, unless it names a time, of the receipt or of the last change. */
function withDefaultDays(filter: ImportedRecordFilter | null | undefined): ImportedRecordFilter {
  const isTimed = filter?.receivedAfter || filter?.receivedBefore || filter?.updatedSince;
  return isTimed ? filter : { ...filter, receivedAfter: new Date(Date.now() - DEFAULT_DAYS * DAY) };
}

export const ImportedRecordConnection = connectionOf('ImportedRecord', () => ImportedRecord);

@InputType()
export class ImportBatchFilter {
  @Field(() => [ImportKind], { nullable: true }) kinds?: ImportKind[] | null;
  /** With a record that has warnings, or without one. */
  @Field(() => Boolean, { nullable: true }) hasWarnings?: boolean | null;
  /** With a record that failed for now or for good, or without one. */
  @Field(() => Boolean, { nullable: true }) hasFailures?: boolean | null;
  /** Received at or after. */
  @Field(() => DateTime, { nullable: true }) receivedAfter?: Date | null;
  /** Received before. */
  @Field(() => DateTime, { nullable: true }) receivedBefore?: Date | null;
  /** A batch changes with its records. */
  @UpdatedSince() updatedSince?: Date | null;
}

@ArgsType()
class ImportBatchListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => ImportBatchFilter, { nullable: true }) filter?: ImportBatchFilter | null;
}

const withRecord = (condition: string) => (t: string, p: string) =>
  `exists (select from imported_record r where r.batch_id = ${t}.id and ${condition}) = ${p}`;
export const importBatchFilters = defineFilters(ImportBatch, {
  kinds: { sql: (t, p) => `${t}.kind = any(${p})`, cast: 'text[]' },
  hasWarnings: { sql: withRecord(`r.warnings::text <> '[]'`), cast: 'boolean' },
  hasFailures: { sql: withRecord(`r.state in ('failed', 'exhausted')`), cast: 'boolean' },
  receivedAfter: { sql: (t, p) => `${t}.received_at >= ${p}`, cast: 'timestamptz' },
  receivedBefore: { sql: (t, p) => `${t}.received_at < ${p}`, cast: 'timestamptz' },
  // The changed records are found once, and not of each batch; as a set that PostgreSQL may put on the disk, for there may be millions of records.
  updatedSince: {
    sql: (t, p, _limits, companies) => `exists (select from (
        select b.id from import_batch b where b.company_id = any(${companies()}) and b.received_at >= ${p}
        union select r.batch_id from imported_record r where r.company_id = any(${companies()}) and r.updated_at >= ${p}) changed
      where changed.id = ${t}.id)`,
    cast: 'timestamptz',
  },
});
export const ImportBatchConnection = connectionOf('ImportBatch', () => ImportBatch);

@Resolver(() => ImportedRecord)
export class IngestResolver {
  @Mutation(() => ImportAnswer, {
    description: 'Stores orders for import; they are processed in the background. At most 1,000 at a time.',
  })
  @Requires('create_order')
  ingestOrders(
    @Ctx() ctx: Context,
    @Arg('orders', () => [Json], { nullable: 'items' }) orders: unknown[],
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    @Arg('dryRun', () => Boolean, { nullable: true, description: DRY_RUN }) dryRun?: boolean,
    @Arg('metadata', () => Json, { nullable: true, description: METADATA }) metadata?: unknown,
    @Arg('strict', () => Boolean, { nullable: true, description: STRICT }) strict?: boolean,
  ): Promise<typeof ImportAnswer> {
    return acceptBatch(ctx, orderImporter, orders, { companyId, dryRun, metadata, strict });
  }

  @Mutation(() => ImportAnswer, {
    description: 'Stores projects for import; they are processed in the background. At most 1,000 at a time.',
  })
  @Requires('create_project')
  ingestProjects(
    @Ctx() ctx: Context,
    @Arg('projects', () => [Json], { nullable: 'items' }) projects: unknown[],
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    @Arg('dryRun', () => Boolean, { nullable: true, description: DRY_RUN }) dryRun?: boolean,
    @Arg('metadata', () => Json, { nullable: true, description: METADATA }) metadata?: unknown,
    @Arg('strict', () => Boolean, { nullable: true, description: STRICT }) strict?: boolean,
  ): Promise<typeof ImportAnswer> {
    return acceptBatch(ctx, projectImporter, projects, { companyId, dryRun, metadata, strict });
  }

  @Mutation(() => ImportAnswer, {
    description: 'Stores tickets for import; they are created and matched to loads in the background. At most 1,000 at a time.',
  })
  @Requires('create_ticket')
  ingestTickets(
    @Ctx() ctx: Context,
    @Arg('tickets', () => [Json], { nullable: 'items' }) tickets: unknown[],
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    @Arg('dryRun', () => Boolean, { nullable: true, description: DRY_RUN }) dryRun?: boolean,
    @Arg('metadata', () => Json, { nullable: true, description: METADATA }) metadata?: unknown,
    @Arg('strict', () => Boolean, { nullable: true, description: STRICT }) strict?: boolean,
  ): Promise<typeof ImportAnswer> {
    return acceptBatch(ctx, ticketImporter, tickets, { companyId, dryRun, metadata, strict });
  }

  @RefusesArchived()
  @Query(() => ImportedRecord)
  @Requires('view_imports')
  importedRecord(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<ImportedRecord> {
    allow(ctx, 'view_imports');
    const sought = { model: 'ImportedRecord', table: 'imported_record', id, companyId };
    return orArchived(ctx, sought, () => ctx.read.one(ImportedRecord, info, { id, companyId }));
  }

  @Query(() => ImportStatus, {
    description: 'The state of the imports: backlog, waiting times, outcomes of a day, causes of failure by sender.',
  })
  @Requires('view_imports')
  importStatus(@Ctx() ctx: Context, @Arg('companyId', () => ID, { nullable: true }) companyId?: string): Promise<ImportStatus> {
    return importStatus(ctx, companyId);
  }

  @RefusesArchived()
  @Query(() => ImportBatch, {
    description: 'One accepted request with its outcomes; its sender may read it, too.',
  })
  @Requires('view_imports', 'create_order', 'create_project', 'create_ticket')
  async importBatch(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<ImportBatch> {
    await mayReadBatch(ctx, id, companyId);
    return orArchived(ctx, { model: 'ImportBatch', table: 'import_batch', id, companyId }, () =>
      ctx.read.one(ImportBatch, info, { id, companyId }),
    );
  }

  @ReportsArchived()
  @Query(() => ImportBatchConnection, {
    description: 'Accepted requests, newest first. People without view_imports read their own.',
  })
  @Requires('view_imports', 'create_order', 'create_project', 'create_ticket')
  async importBatches(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ImportBatchListArgs) args: ImportBatchListArgs,
  ): Promise<Connection<ImportBatch>> {
    const { where } = readableBatches(ctx);
    await reportArchived(ctx, info, companyOf(ctx, args.companyId), 'import_batch');
    return ctx.read.page(ImportBatch, info, { ...args, where });
  }

  @RefusesArchived()
  @ReportsArchived()
  @Query(() => ImportedRecordConnection, {
    description: 'The records of one accepted request, in the order of its elements; its sender may read them, too.',
  })
  @Requires('view_imports', 'create_order', 'create_project', 'create_ticket')
  async importBatchRecords(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Args(() => ImportedRecordListArgs) args: ImportedRecordListArgs,
  ): Promise<Connection<ImportedRecord>> {
    await mayReadBatch(ctx, id, args.companyId);
    const { companyId } = args;
    const sought = { model: 'ImportBatch', table: 'import_batch', id, companyId };
    const batch = await orArchived(ctx, sought, () => find(ctx, ImportBatch, id, { companyId }));
    await reportArchived(ctx, info, batch.company.id, 'imported_record');
    const where = [{ key: 'batch', sql: (t: string, p: string) => `${t}.batch_id = ${p}`, cast: 'uuid', value: batch.id }];
    return ctx.read.page(ImportedRecord, info, { ...args, companyId: batch.company.id, sort: { batchIndex: 'asc' }, where });
  }

  @ReportsArchived()
  @Query(() => ImportedRecordConnection, { description: 'Imported records, newest first; by default, those of the last seven days.' })
  @Requires('view_imports')
  async importedRecords(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ImportedRecordListArgs) args: ImportedRecordListArgs,
  ): Promise<Connection<ImportedRecord>> {
    allow(ctx, 'view_imports');
    await reportArchived(ctx, info, companyOf(ctx, args.companyId), 'imported_record');
    return ctx.read.page(ImportedRecord, info, { ...args, filter: withDefaultDays(args.filter) });
  }
}
