import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Flag, Numeric, One, RecordBase, stringEnum, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const AiReviewStatus = stringEnum(
  'AiReviewStatus',
  ['flagged', 'unreadable', 'duplicate', 'approved'],
  'The result of a review of a ticket.',
);
export type AiReviewStatus = keyof typeof AiReviewStatus;

/** The findings of a review of a load (SPEC Load `ai_review`); a load has one, the newest. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class AiReview extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Load, { required: true, hidden: true }) load!: Ref<Load>;
  @Choice(() => AiReviewStatus, { required: true }) status!: AiReviewStatus;
  /** From 0 to 1. */
  @Numeric() confidence?: Decimal | null;
  @Text() summary?: string | null;
  @Text() reasoning?: string | null;
  @Property({ type: 'text[]', columnType: 'text[]', defaultRaw: `'{}'` }) @Field(() => [String]) issues: string[] = [];
  /** The company has such loads approved; what it is judged by is not all known yet. */
  @Flag({ required: true, hidden: true }) approvalPending: boolean = false;
}

export const aiReviewLoadKey = defineUnique('ai_review_load_key', { model: 'AiReview', field: 'load' });
