import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { Length, Range } from '../../platform/graphql/rules.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { ExportFormat, ExportFrequency, ExportRun, ExportSchedule } from './export-schedule.entity.ts';

export const ExportScheduleConnection = connectionOf('ExportSchedule', () => ExportSchedule);
export const ExportRunConnection = connectionOf('ExportRun', () => ExportRun);

const LONGEST_NAME = 200;
const LONGEST_QUERY = 2_000;
const QUERY =
  'Its filters, as the query of that path: `filter[start_date]={day-7}&filter[end_date]={day-1}`. `{day}` is the day on which it is due.';
const WEEKDAY = 'From 1, a Monday, to 7. Required of a weekly one, and refused of a daily one.';
const TIME = 'By the clock of the company: `HH:MM`.';

const STORAGE = 'The storage of the company into which it is put, too.';

@InputType({ description: 'A bucket in S3, or in a service with the same protocol.' })
export class ExportStorageInput {
  @Field(() => String, { description: 'The bucket.' }) @Length(1, 63) bucket!: string;
  @Field(() => String, { nullable: true, description: 'The region; by default, us-east-1.' }) @Length(1, 40) region?: string | null;
  @Field(() => String, { nullable: true, description: 'The URL of a service other than AWS.' }) @Length(1, 500) endpoint?: string | null;
  @Field(() => String, { nullable: true, description: 'The beginning of the names of files, such as `haulgate/`.' })
  @Length(0, 200)
  prefix?: string | null;
  @Field(() => String, { description: 'The id of the access key.' }) @Length(1, 200) accessKeyId!: string;
  @Field(() => String, {
    nullable: true,
    description: 'The secret of the access key, which is not shown again. By default, the one that is kept.',
  })
  @Length(1, 500)
  secretAccessKey?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether the bucket is in the path, as most services other than AWS expect.' })
  pathStyle?: boolean | null;
}

@InputType({ description: 'The contents, times and receivers of a scheduled export.' })
export class CreateExportScheduleInput {
  @Field(() => String) @Length(1, LONGEST_NAME) name!: string;
  @Field(() => String, { description: 'The part behind the company in the path of a REST list, such as `orders` or `metrics`.' })
  @Length(1, LONGEST_NAME)
  list!: string;
  @Field(() => String, { nullable: true, description: QUERY }) @Length(0, LONGEST_QUERY) query?: string | null;
  @Field(() => ExportFormat, { description: 'The form of the file.' }) format!: ExportFormat;
  @Field(() => ExportFrequency, { description: 'How often it is due.' }) frequency!: ExportFrequency;
  @Field(() => Int, { nullable: true, description: WEEKDAY }) @Range(1, 7) weekday?: number | null;
  @Field(() => String, { description: TIME }) localTime!: string;
  @Field(() => [String], { nullable: true, description: 'E-mail addresses. Required without a storage.' }) recipients?: string[] | null;
  @Field(() => ExportStorageInput, { nullable: true, description: STORAGE }) storage?: ExportStorageInput | null;
}

@InputType({ description: 'The changes. It then has the permissions of whoever changed it.' })
export class UpdateExportScheduleInput {
  @Field(() => String, { nullable: true }) @Length(1, LONGEST_NAME) name?: string | null;
  @Field(() => String, { nullable: true, description: QUERY }) @Length(0, LONGEST_QUERY) query?: string | null;
  @Field(() => ExportFormat, { nullable: true, description: 'The form of the file.' }) format?: ExportFormat | null;
  @Field(() => ExportFrequency, { nullable: true, description: 'How often it is due.' }) frequency?: ExportFrequency | null;
  @Field(() => Int, { nullable: true, description: WEEKDAY }) @Range(1, 7) weekday?: number | null;
  @Field(() => String, { nullable: true, description: TIME }) localTime?: string | null;
  @Field(() => [String], { nullable: true, description: 'E-mail addresses.' }) recipients?: string[] | null;
  @Field(() => ExportStorageInput, { nullable: true, description: `${STORAGE} Null for none.` }) storage?: ExportStorageInput | null;
}

@ArgsType()
export class ExportScheduleListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

@ArgsType()
export class ExportRunListArgs extends PageArgs {
  @Field(() => ID, { description: 'Of which schedule.' }) exportScheduleId!: string;
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
