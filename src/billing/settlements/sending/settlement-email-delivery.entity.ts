import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Company } from '../../../directory/companies/company.entity.ts';
import { User } from '../../../directory/people/user.entity.ts';
import { Audited } from '../../../platform/commands/audit.ts';
import { Choice, One, RecordBase, stringEnum, Text, Uuid } from '../../../platform/model/columns.ts';
import { Computed, Tenant } from '../../../platform/model/decorators.ts';
import { Settlement } from '../settlement.entity.ts';

export const SettlementEmailDeliveryState = stringEnum('SettlementEmailDeliveryState', ['initiated', 'delivered', 'failed']);
export type SettlementEmailDeliveryState = keyof typeof SettlementEmailDeliveryState;

/** A settlement that is sent to somebody as a PDF (BILLING B11). */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class SettlementEmailDelivery extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => Settlement, { required: true }) settlement!: Ref<Settlement>;
  @Text({ required: true }) email!: string;
  /** Null of what a program sent. */
  @One(() => User) senderUser?: Ref<User> | null;
  @Choice(() => SettlementEmailDeliveryState, { required: true }) state: SettlementEmailDeliveryState = 'initiated';
  @Text({ description: 'Why it was given up; null unless it failed.' }) lastError?: string | null;
  /** Key of the bytes of the PDF that was uploaded; null if ours is sent. */
  @Uuid({ hidden: true }) fileId?: string | null;

  @Field(() => ID)
  @Computed({ sql: (t) => `${t}.settlement_id` })
  settlementId!: string;
}
