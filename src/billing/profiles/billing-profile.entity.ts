import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Int, ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, Flag, One, RecordBase, stringEnum, Text, Texts, Whole } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const BillingCadence = stringEnum('BillingCadence', ['weekly', 'every_two_weeks', 'twice_a_month', 'monthly']);
export type BillingCadence = keyof typeof BillingCadence;

/** The way in which an account wants to be billed, or is paid (BILLING B1). There is one record for each account. An account that wants nothing special has no row. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class BillingProfile extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Flag({
    required: true,
    description: 'Whether invoices are approved only with the number of a purchase order (`po_job_number` of the order).',
  })
  poRequired: boolean = false;
  @Text({ description: 'How that number is written: `#` is a digit, `@` a letter, everything else itself. Null if it does not matter.' })
  poPattern?: string | null;
  @Choice(() => BillingCadence, { description: 'How often it is settled.' }) cadence?: BillingCadence | null;
  @Flag({ required: true, description: 'Whether each job gets a settlement of its own.' }) oneJobPerSettlement: boolean = false;
  @Texts({ description: 'Addresses to which settlements are sent.' }) emails: string[] = [];
  @Whole({ description: 'Days after which a settlement is due; null for the terms of the company.' }) termsDays?: number | null;
  @Text({ description: 'The number by which it is exempt from tax; with one, no tax is charged.' }) taxExemptNumber?: string | null;
  @Whole({ description: 'Weeks by which the price of fuel is older than the work; null for those of the schedule.' })
  fuelLagWeeks?: number | null;
  @Flag({ required: true, description: 'Whether new settlements have a line for each load, so that each names the number of its ticket.' })
  ticketNumberPerLine: boolean = false;
  @Flag({ required: true, description: 'Whether the pictures of tickets are printed behind its settlements.' }) attachments: boolean =
    false;
  @Flag({
    description:
      'Whether breaks count where time is paid: by the customer, or to the vendor. Null: not those of a job, and those of a day as its company chose.',
  })
  breaksPaid?: boolean | null;
  @Property({ version: true })
  @Field(() => Int, {
    description:
      "How often it was changed; 0 of a profile that nobody has changed yet. Sent with a change, it refuses one that would overwrite somebody else's.",
  })
  version: number = 1;
}
