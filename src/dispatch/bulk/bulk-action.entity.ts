import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Principal, principalOf } from '../../platform/commands/audit.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { newId } from '../../platform/ids.ts';
import { Choice, Flag, Instant, One, stringEnum, Text, Texts, Uuid, Whole } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { defineFilters, defineSorts } from '../../platform/read/grammar.ts';

/** The actions that can be done to many records at once (DOMAIN 1.2, BILLING B9, PROOF A2). */
export const BulkActionKind = stringEnum('BulkActionKind', [
  'accept',
  'assign_drivers',
  'assign_vendors',
  'unassign',
  'send',
  'send_day',
  'cancel',
  'delete',
  'update',
  'copy_assignments',
  'driver_sms',
  'create_settlements',
  'approve_days',
]);
export type BulkActionKind = keyof typeof BulkActionKind;

export const BulkActionState = stringEnum('BulkActionState', ['pending', 'running', 'finished']);
export const BulkItemState = stringEnum('BulkItemState', ['pending', 'done', 'failed']);
export type BulkItemState = keyof typeof BulkItemState;

const counted = (state: BulkItemState) => (t: string) =>
  `(select count(*)::int from bulk_action_item i where i.bulk_action_id = ${t}.id and i.state = '${state}')`;

/** An action on many records that somebody asked for, and its progress. enqueue.ts and the worker write it. */
@Entity({ tableName: 'bulk_action' })
@Audited({ except: ['grants', 'realActor', 'leaseUntil', 'attempts', 'nextAt', 'finishedAt', 'requestId', 'traceParent'] })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class BulkAction {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Choice(() => BulkActionKind, { required: true }) kind!: BulkActionKind;
  @Instant({ required: true }) createdAt: Date = new Date();
  @Text({ required: true, hidden: true }) createdByType!: string;
  @Uuid({ required: true, hidden: true }) createdById!: string;
  @Text({ required: true, hidden: true }) createdByName!: string;
  @Property({ type: 'json', nullable: true }) realActor?: object | null;
  /** The permissions of the person who asked. Nothing beyond them is done. */
  @Texts({ hidden: true }) grants: string[] = [];
  /** True if the ids were requested within the company: jobs of others are then reported as missing. */
  @Flag({ required: true, hidden: true }) scoped: boolean = false;
  @Text({ required: true, hidden: true }) language!: string;
  @Text({ required: true, hidden: true }) requestId!: string;
  @Text({ hidden: true }) traceParent?: string | null;
  @Instant({ required: true, hidden: true }) nextAt: Date = new Date();
  @Field(() => Principal)
  @Computed({
    columns: ['createdByType', 'createdById', 'createdByName', 'companyId', 'realActor'],
    compute: (row) => ({
      ...principalOf({ type: row.createdByType, id: row.createdById, name: row.createdByName, companyId: row.companyId }),
      realActor: row.realActor as Principal['realActor'],
    }),
  })
  createdBy!: Principal;
  @Whole({ required: true }) totalCount!: number;
  @Field(() => Int)
  @Computed({ sql: counted('done') })
  doneCount!: number;
  @Field(() => Int)
  @Computed({ sql: counted('failed') })
  failedCount!: number;
  /** The time of the last item's outcome. */
  @Instant() finishedAt?: Date | null;
  @Instant({ hidden: true }) leaseUntil?: Date | null;
  /** Turns that began since one was completed. */
  @Whole({ required: true, hidden: true }) attempts: number = 0;
  @Field(() => BulkActionState)
  @Computed({
    columns: ['finishedAt', 'leaseUntil'],
    compute: (row) => (row.finishedAt ? 'finished' : row.leaseUntil ? 'running' : 'pending'),
  })
  state!: keyof typeof BulkActionState;
}

/** Why the action failed for an item. */
@ObjectType({ simpleResolvers: true })
export class BulkItemError {
  @Field(() => String) model!: string;
  /** Spelled as in REST. */
  @Field(() => String) field!: string;
  /** Stays the same in every language. */
  @Field(() => String) code!: string;
  @Field(() => String) message!: string;
}

/** One item of a bulk action and its outcome: a job, a driver's day, or somebody with whom a company settles. */
@Entity({ tableName: 'bulk_action_item' })
@Tenant()
@ObjectType({ simpleResolvers: true })
export class BulkActionItem {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Uuid({ required: true }) bulkActionId!: string;
  /** Place in the request, from 0. */
  @Whole({ required: true }) itemIndex!: number;
  @Uuid() jobId?: string | null;
  @Uuid({ description: 'The day of a driver that it is about.' }) driverDayId?: string | null;
  @One(() => Account) customerAccount?: Ref<Account> | null;
  @One(() => Account) vendorAccount?: Ref<Account> | null;
  @One(() => User) driver?: Ref<User> | null;
  @Choice(() => BulkItemState, { required: true }) state: BulkItemState = 'pending';
  @Property({ type: 'json' }) @Field(() => [BulkItemError]) errors: BulkItemError[] = [];
  @Instant({ required: true }) createdAt: Date = new Date();
  @Instant() finishedAt?: Date | null;
}

export const bulkActionItemSorts = defineSorts(BulkActionItem, { itemIndex: { sql: (t) => `${t}.item_index`, cast: 'integer' } });
export const bulkActionItemFilters = defineFilters(BulkActionItem, {
  states: { sql: (t, p) => `${t}.state = any(${p})`, cast: 'text[]' },
  // It changes once: when it has its outcome.
  updatedSince: { sql: (t, p) => `coalesce(${t}.finished_at, ${t}.created_at) >= ${p}`, cast: 'timestamptz' },
});
/** An action that is finished is not looked into: its last item ended it. */
export const bulkActionFilters = defineFilters(BulkAction, {
  updatedSince: {
    sql: (t, p) =>
      `(${t}.created_at >= ${p} or ${t}.finished_at >= ${p} or (${t}.finished_at is null
        and exists (select from bulk_action_item i where i.bulk_action_id = ${t}.id and i.finished_at >= ${p})))`,
    cast: 'timestamptz',
  },
});
