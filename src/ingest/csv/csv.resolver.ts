import { Arg, Ctx, createUnionType, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { RefusesArchived } from '../../platform/read/past/archived.ts';
import { Csv, Json } from '../../platform/scalars.ts';
import { ImportPreviewRecord } from '../api/import-answer.ts';
import { STRICT } from '../api/ingest.resolver.ts';
import { ImportedRecordState } from '../ledger/imported-record.entity.ts';
import { orderImporter } from '../orders/import-order.ts';
import { projectImporter } from '../projects/import-project.ts';
import { ticketImporter } from '../tickets/import-ticket.ts';
import { batchErrors } from './batch-errors.ts';
import { importCsv } from './import-csv.ts';
import { csvTemplate } from './template.ts';

/** The receipt of one row of a sheet. */
@ObjectType({ simpleResolvers: true })
export class CsvRowReceipt {
  /** Place among the rows, counted from 0. */
  @Field(() => Int) index!: number;
  /** Where the row starts in the file, counted from 1. */
  @Field(() => Int) line!: number;
  @Field(() => ID) id!: string;
  @Field(() => String, { nullable: true }) importedFor!: string | null;
  @Field(() => ImportedRecordState) state!: ImportedRecordState;
}

@ObjectType({ simpleResolvers: true })
export class CsvReceipt {
  @Field(() => ID) batchId!: string;
  @Field(() => [CsvRowReceipt]) records!: CsvRowReceipt[];
  @Field(() => [String], { description: 'Headers that match no field; their columns were ignored.' }) unknownColumns!: string[];
}

/** The effect that a row would have. */
@ObjectType({ simpleResolvers: true })
export class CsvPreviewRecord extends ImportPreviewRecord {
  @Field(() => Int) line!: number;
}

/** The answer to a dry run. Nothing was stored. */
@ObjectType({ simpleResolvers: true })
export class CsvPreview {
  @Field(() => [CsvPreviewRecord]) records!: CsvPreviewRecord[];
  @Field(() => [String]) unknownColumns!: string[];
}

export const CsvAnswer = createUnionType({
  name: 'CsvAnswer',
  description: 'A receipt; with `dryRun`, a preview of what a real run would do.',
  types: () => [CsvReceipt, CsvPreview] as const,
  resolveType: (answer) => ('batchId' in answer ? CsvReceipt : CsvPreview),
});

const DESCRIPTION =
  'Stores the rows of a sheet for import, one record each. At most 10,000 rows. `mapping` assigns headers to paths of fields.';

@Resolver()
export class CsvResolver {
  @RefusesArchived()
  @Query(() => Csv, { description: 'The records of a batch that failed or have warnings, as a CSV sheet.' })
  @Requires('view_imports', 'create_order', 'create_project', 'create_ticket')
  importErrorsCsv(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
  ): Promise<string> {
    return batchErrors(ctx, id, companyId);
  }

  @Query(() => Csv, { description: 'A template for a sheet of orders: the header and one example.' })
  @AnySignedIn()
  ordersCsvTemplate(@Ctx() ctx: Context): string {
    viewerOf(ctx);
    return csvTemplate('orders');
  }

  @Query(() => Csv, { description: 'A template for a sheet of projects: the header and one example.' })
  @AnySignedIn()
  projectsCsvTemplate(@Ctx() ctx: Context): string {
    viewerOf(ctx);
    return csvTemplate('projects');
  }

  @Query(() => Csv, { description: 'A template for a sheet of tickets: the header and one example.' })
  @AnySignedIn()
  ticketsCsvTemplate(@Ctx() ctx: Context): string {
    viewerOf(ctx);
    return csvTemplate('tickets');
  }
}

/** Mutations that import sheets, one for each kind. */
export const SheetMutations = [
  taking('ingestOrdersCsv', 'create_order', orderImporter),
  taking('ingestProjectsCsv', 'create_project', projectImporter),
  taking('ingestTicketsCsv', 'create_ticket', ticketImporter),
];

function taking(name: string, permission: string, importer: Parameters<typeof importCsv>[1]): Function {
  @Resolver()
  class Taking {
    @Mutation(() => CsvAnswer, { name, description: DESCRIPTION })
    @Requires(permission)
    take(
      @Ctx() ctx: Context,
      @Arg('csv', () => Csv) csv: string,
      @Arg('mapping', () => Json, { nullable: true }) mapping?: unknown,
      @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
      @Arg('dryRun', () => Boolean, { nullable: true }) dryRun?: boolean,
      @Arg('strict', () => Boolean, { nullable: true, description: STRICT }) strict?: boolean,
    ): Promise<typeof CsvAnswer> {
      return importCsv(ctx, importer, csv, { mapping, companyId, dryRun, strict });
    }
  }
  return Taking;
}
