import { Field, ObjectType } from 'type-graphql';
import { DateTime, LocalDate } from '../../platform/scalars.ts';

/** Where the sheet of a day's tickets is served, in OpenAPI spelling. */
export const SHEET_PATH = '/v1/companies/{company-id}/data_export/tickets/day/{date}/file';

/** The records of one day of a company, and where they can be read as a sheet. */
@ObjectType({ simpleResolvers: true })
export class DailyExport {
  @Field(() => LocalDate) day!: string;
  @Field(() => DateTime, { description: 'The time of the answer: the sheet is created when it is read.' }) createdAt!: Date;
  @Field(() => String, {
    description: 'URL of the sheet (CSV), with the tickets that the caller may read. It opens it without a token for 15 to 30 minutes.',
  })
  fileUrl!: string;
}
