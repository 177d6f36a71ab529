import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { About } from '../../platform/model/about.ts';
import { Instant, One, RecordBase } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { defineSorts } from '../../platform/read/grammar.ts';
import { DateTime } from '../../platform/scalars.ts';
import { Account } from '../accounts/account.entity.ts';
import { Company } from '../companies/company.entity.ts';
import { User } from './user.entity.ts';

/** A time in which a person, or an account's trucks, are not to be planned with; without an end until further notice. */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A span in which work must not be planned for a person or an account.' })
export class ScheduledTimeOff extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => User, { hidden: true }) user?: Ref<User> | null;
  @One(() => Account, { hidden: true }) account?: Ref<Account> | null;
  @Instant({ required: true }) startDate!: Date;
  /** The first moment after it. */
  @Instant({ description: 'Null means until further notice.' }) endDate?: Date | null;
}

/** The condition that the person or account `t` is off some time between two instants; `column` says which of the two it is. */
export const isOff = (column: 'user_id' | 'account_id', t: string, from: string, to: string): string =>
  `exists (select 1 from scheduled_time_off o where o.${column} = ${t}.id and o.start_date < ${to} and (o.end_date is null or o.end_date > ${from}))`;

export const TimeOffConnection = connectionOf('ScheduledTimeOff', () => ScheduledTimeOff);

@InputType()
@About('ScheduledTimeOff')
export class CreateTimeOffInput {
  @Field(() => DateTime) startDate!: Date;
  @Field(() => DateTime, { description: 'The first moment after the time off.' }) endDate!: Date;
}

@InputType()
export class TimeOffSort {
  @Field(() => SortDirection, { nullable: true }) createdAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true }) startDate?: SortDirection | null;
}

@ArgsType()
export class UserTimeOffArgs extends PageArgs {
  @Field(() => ID) userId!: string;
  @Field(() => TimeOffSort, { nullable: true }) sort?: TimeOffSort | null;
}

@ArgsType()
export class AccountTimeOffArgs extends PageArgs {
  @Field(() => ID) accountId!: string;
  @Field(() => TimeOffSort, { nullable: true }) sort?: TimeOffSort | null;
}

export const scheduledTimeOffSorts = defineSorts(ScheduledTimeOff, { startDate: { sql: (t) => `${t}.start_date`, cast: 'timestamptz' } });
