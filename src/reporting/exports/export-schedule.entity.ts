import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import { Choice, Flag, Instant, One, RecordBase, stringEnum, Text, Texts, Uuid, Whole } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const ExportFormat = stringEnum('ExportFormat', ['csv', 'ndjson', 'parquet'], 'The form of an exported list.');
export type ExportFormat = keyof typeof ExportFormat;
export const ExportFrequency = stringEnum('ExportFrequency', ['daily', 'weekly'], 'How often a list is exported.');
export type ExportFrequency = keyof typeof ExportFrequency;
export const ExportEnd = stringEnum('ExportEnd', ['author_gone', 'not_permitted', 'not_valid'], 'Why a schedule ended by itself.');
export type ExportEnd = keyof typeof ExportEnd;
export const ExportRunState = stringEnum('ExportRunState', ['pending', 'success', 'error'], 'How far a run is.');
export type ExportRunState = keyof typeof ExportRunState;

/** A bucket of a company, in S3 or a service with the same protocol. */
@ObjectType({ simpleResolvers: true, description: 'A bucket in S3, or in a service with the same protocol.' })
export class ExportStorage {
  @Field(() => String, { description: 'The bucket.' }) bucket!: string;
  @Field(() => String, { description: 'The region.' }) region!: string;
  @Field(() => String, { nullable: true, description: 'The URL of the service; null of AWS.' }) endpoint!: string | null;
  @Field(() => String, { description: 'The beginning of the names of files, such as `haulgate/`.' }) prefix!: string;
  @Field(() => String, { description: 'The id of the access key.' }) accessKeyId!: string;
  @Field(() => Boolean, { description: 'Whether the bucket is in the path, as most services other than AWS expect.' }) pathStyle!: boolean;
}

/** A list that is exported again and again, and mailed. It reads as the person who made it may at that time. */
@Entity()
@Tenant()
@Audited({ except: ['grants', 'language', 'dueAt'] })
@ObjectType({ simpleResolvers: true, description: 'A list that is exported daily or weekly, and sent by mail.' })
export class ExportSchedule extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true, description: 'The name, which is the subject of the mails.' }) name!: string;
  @Text({ required: true, description: 'Which list: what follows the company in the path of its REST operation, such as `orders`.' })
  list!: string;
  @Text({
    required: true,
    description: 'Its filters, as the query of that path. `{day}` is the day on which it is due, `{day-7}` the day a week before.',
  })
  query!: string;
  @Choice(() => ExportFormat, { required: true, description: 'The form of the file.' }) format!: ExportFormat;
  @Choice(() => ExportFrequency, { required: true, description: 'How often it is due.' }) frequency!: ExportFrequency;
  @Whole({ description: 'From 1, a Monday, to 7; null of a daily one.' }) weekday?: number | null;
  @Text({ required: true, description: 'When it is due, by the clock of the company: `HH:MM`.' }) localTime!: string;
  @Texts({ description: 'E-mail addresses to which it is sent.' }) recipients: string[] = [];
  @Property({ type: 'json', columnType: 'jsonb', nullable: true })
  @Field(() => ExportStorage, { nullable: true, description: 'The storage into which it is put; null of one that is only mailed.' })
  storage?: ExportStorage | null;
  @Text({ required: true, hidden: true }) createdByType!: string;
  @Uuid({ required: true, hidden: true }) createdById!: string;
  @Text({ required: true, description: 'The person or program that made or changed it last, whose permissions it has.' })
  createdByName!: string;
  /** The permissions that its author had: it never has more. */
  @Property({ type: 'text[]', columnType: 'text[]', defaultRaw: `'{}'` }) grants: string[] = [];
  @Text({ required: true, hidden: true }) language: Language = 'en';
  @Instant({ description: 'When it is due next; null of one that has ended.' }) dueAt?: Date | null;
  @Instant({ description: 'When it ended by itself. Whoever changes it takes it over, and it goes on.' }) endedAt?: Date | null;
  @Choice(() => ExportEnd, { description: 'Why it ended.' }) endReason?: ExportEnd | null;
  @Instant({ hidden: true }) discardedAt?: Date | null;
}

/** One due time of a schedule, and what became of it. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'One due time of a schedule, and what became of it.' })
export class ExportRun extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => ExportSchedule, { required: true, hidden: true }) exportSchedule!: Ref<ExportSchedule>;
  @Instant({ required: true, description: 'The time for which it is.' }) dueAt!: Date;
  @Choice(() => ExportRunState, { required: true, description: 'How far it is.' }) state: ExportRunState = 'pending';
  @Whole({ description: 'How many records it has.' }) recordCount?: number | null;
  @Whole({ description: 'Bytes of the file.' }) byteSize?: number | null;
  @Instant({ description: 'Since when the list is complete: what is older is archived. Null if nothing of it is.' })
  archivedBefore?: Date | null;
  @Text({ description: 'Why nothing was sent.' }) error?: string | null;
  @Instant({ description: 'When it was over.' }) finishedAt?: Date | null;
  /** Key of the bytes, until they were sent. */
  @Uuid({ hidden: true }) fileId?: string | null;
  @Text({ hidden: true }) fileName?: string | null;
  @Instant({ hidden: true }) nextAt?: Date | null;
  @Whole({ required: true, hidden: true }) attempts: number = 0;
  /** When its last turn began. */
  @Instant({ hidden: true }) claimedAt?: Date | null;
  /** Whether somebody works on it, unless the lease is over (`nextAt`). */
  @Flag({ required: true, hidden: true }) isClaimed: boolean = false;
}
