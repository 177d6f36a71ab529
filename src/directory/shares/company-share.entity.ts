import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ID, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { Choice, Flag, Instant, One, RecordBase, Text, Uuid, Uuids } from '../../platform/model/columns.ts';
import { Computed, Many, Single, Tenant } from '../../platform/model/decorators.ts';
import { Account } from '../accounts/account.entity.ts';
import { Company } from '../companies/company.entity.ts';
import { Equipment } from '../equipment/equipment.entity.ts';
import { CompanyShareableType } from './shared-with.ts';

/** The shared record, as far as a list of shares shows it. */
@ObjectType({ simpleResolvers: true })
export class CompanyShareable {
  @Field(() => ID) id!: string;
  @Field(() => String) name!: string;
  @Field(() => CompanyShareableType) type!: CompanyShareableType;
}

// After a share has ended its record is not visible any more; the share keeps the name that the record had then.
const nameSql = (t: string): string => `coalesce(case ${t}.company_shareable_type
  when 'User' then (select trim(u.first_name || ' ' || u.last_name) from app_user u where u.id = ${t}.company_shareable_id)
  when 'Equipment' then (select e.name from equipment e where e.id = ${t}.company_shareable_id)
  else (select s.name from site s where s.id = ${t}.company_shareable_id) end,
  ${t}.name_at_end, shareable_name(${t}.company_shareable_type, ${t}.company_shareable_id))`;

/**
 * One company lets another one use a person, a truck or a place: its own, or one that was shared with it. It counts in one direction
 * (DOMAIN section 2).
 */
@Entity()
@Audited()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class CompanyShare extends RecordBase {
  /** The sender again, as every table names its tenant. */
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @One(() => Company, { required: true }) senderCompany!: Ref<Company>;
  @One(() => Company, { required: true }) receiverCompany!: Ref<Company>;
  @Choice(() => CompanyShareableType, { required: true }) companyShareableType!: CompanyShareableType;
  @Uuid({ required: true }) companyShareableId!: string;
  /** The share by which the sender has the record that it shares on; null for the sender's own record. */
  @Uuid() parentCompanyShareId?: string | null;
  /** The receiver's name for it. */
  @Text() externalId?: string | null;
  @Text() ticketMatchId?: string | null;
  /** Whether the receiver may plan work with it. Answered as it holds: the sender here and every sender above must allow it. */
  @Computed({ sql: (t) => `${t}.plannable` })
  @Flag({ required: true })
  dispatchable!: boolean;
  @Flag({ required: true }) scheduleOn: boolean = false;
  @Flag({ required: true }) rateOverride: boolean = false;
  /** Also answered as it holds, see `validUntil`. */
  @Computed({ sql: (t) => `${t}.valid_until` })
  @Instant()
  expiresAt?: Date | null;
  /** This share and all it hangs on are dispatchable; kept by the database. */
  @Flag({ required: true, hidden: true }) plannable!: boolean;
  /** The earliest end of this share and of those it hangs on: after it the receiver sees nothing. */
  @Instant({ hidden: true }) validUntil?: Date | null;
  /** The name of the record when the share ended, if it has changed since; a trigger keeps it. */
  @Text({ hidden: true }) nameAtEnd?: string | null;
  /** The truck that the receiver assigns to a shared driver by default. */
  @One(() => Equipment) defaultEquipment?: Ref<Equipment> | null;
  @Uuids({ hidden: true }) defaultAdditionalEquipmentIds: string[] = [];

  @Many(() => Equipment, { ids: 'defaultAdditionalEquipmentIds' }) defaultAdditionalEquipment!: Equipment[];

  @Field(() => CompanyShareable)
  @Computed({
    sql: (t) => `json_build_object('id', ${t}.company_shareable_id, 'type', ${t}.company_shareable_type, 'name', ${nameSql(t)})`,
  })
  companyShareable!: CompanyShareable;

  /** The receiver's account for the sender: whom it pays. */
  @Single(() => Account, {
    on: (account, share, companies) => `${account}.company_id = ${share}.receiver_company_id and ${account}.company_id = any(${companies})
      and ${account}.connected_company_id = ${share}.sender_company_id`,
  })
  receiverAccount?: Account | null;
}

export const companyShareRecordKey = defineUnique('company_share_record_key', {
  model: 'CompanyShare',
  field: 'companyShareableId',
  key: 'shared_already',
});
