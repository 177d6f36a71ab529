import { Arg, Ctx, Extensions, Field, ID, InputType, ObjectType, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { stringEnum } from '../../../platform/model/columns.ts';
import { TRACKED } from '../exports/accounting-document.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { AccountingFileFormat } from './accounting-file.ts';
import { LONGEST_ACCOUNT, MOST, MOST_TRACKED, makeAccountingFile, type TrackingFields } from './make-accounting-file.ts';

export const AccountingTracking = stringEnum('AccountingTracking', TRACKED);
export type AccountingTracking = keyof typeof AccountingTracking;

const text = (description: string) => ({ nullable: true, description: `${description} At most ${LONGEST_ACCOUNT} characters.` });

@InputType({ description: 'A category by which Xero follows lines.' })
export class AccountingTrackingInput {
  @Field(() => AccountingTracking, { description: 'The work by which lines are followed.' }) by!: AccountingTracking;
  @Field(() => String, text("The category's name in Xero; by default `Project`, `Order`, `Service` or `Material`."))
  name?: string | null;
}

@InputType({
  description: `The settlements and invoices of a file, and how it is written. At least one of them, and at most ${MOST} together, of one side and currency.`,
})
export class AccountingFileInput {
  @Field(() => AccountingFileFormat, { description: 'The system that imports it, or `template` for one of the company.' })
  format!: AccountingFileFormat;
  @Field(() => ID, { nullable: true, description: 'The template, with the format `template`.' }) templateId?: string | null;
  @Field(() => [ID], { nullable: true, description: 'Approved settlements.' }) settlementIds?: string[] | null;
  @Field(() => [ID], { nullable: true, description: 'Approved invoices that are in no settlement.' }) invoiceIds?: string[] | null;
  @Field(() => String, text('The account to which lines are posted.')) account?: string | null;
  @Field(() => String, text('The account to which the tax of customers is posted.')) taxAccount?: string | null;
  @Field(() => String, text('For QuickBooks Online: the product or service as which the tax of customers is sold.'))
  taxItem?: string | null;
  @Field(() => [AccountingTrackingInput], {
    nullable: true,
    description: `For Xero: by what lines are followed; at most ${MOST_TRACKED}.`,
  })
  tracking?: AccountingTrackingInput[] | null;
}

@ObjectType({ simpleResolvers: true, description: 'A file that an accounting system imports.' })
export class AccountingFile {
  @Field(() => String, { description: 'Its name, with its ending.' }) name!: string;
  @Field(() => String, { description: 'The media type of its bytes, such as `text/csv; charset=utf-8`.' }) mediaType!: string;
  @Field(() => String, { description: 'Its bytes in base64 (RFC 4648, section 4).' }) content!: string;
}

const FIELDS: TrackingFields = { all: 'tracking', by: (at) => `tracking.${at}.by`, name: (at) => `tracking.${at}.name` };

/** The cost of a file, in the measure of a document's limit: the most lines that one has. A document has four of them at most. */
const READS = 50_000;

/** Files for accounting systems that are read over GraphQL alone. */
@Resolver()
export class AccountingFileResolver {
  @Query(() => AccountingFile, {
    description:
      'Approved settlements, and approved invoices that are in none, in a file that an accounting system imports. It requires to see the rates of their side, and changes nothing.',
  })
  @Requires(MANAGES_ACCOUNTING)
  @Extensions({ reads: READS })
  async accountingFile(
    @Ctx() ctx: Context,
    @Arg('input', () => AccountingFileInput) { settlementIds, invoiceIds, tracking, ...wishes }: AccountingFileInput,
    @Arg('companyId', () => ID, { nullable: true, description: 'By default, your own company.' }) companyId?: string,
  ): Promise<AccountingFile> {
    const asked = { ...wishes, settlementIds: settlementIds ?? [], invoiceIds: invoiceIds ?? [], tracking: tracking ?? [] };
    const { name, mediaType, bytes } = await makeAccountingFile(ctx, { companyId }, asked, FIELDS);
    return { name, mediaType, content: bytes.toString('base64') };
  }
}
