import { Field, ID, InputType } from 'type-graphql';
import { AccountType } from '../../directory/accounts/account.entity.ts';
import { DriverPayBy } from '../../directory/companies/settings/driver-pay-by.ts';
import { AtMost, Length } from '../../platform/graphql/rules.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { GraphqlOnly } from '../../platform/read/time-range.ts';

const optional = { nullable: true };
const ids = { nullable: true, description: 'They replace those that the person has.' };
/** Characters of a name; of an e-mail address by RFC 5321; of an id from another system. */
const NAME = 100;
const EMAIL = 254;
const EXTERNAL = 255;

export const NotificationMethod = stringEnum('NotificationMethod', ['push', 'sms']);
export type NotificationMethod = keyof typeof NotificationMethod;

const methods = () => [NotificationMethod];

/** Trucks, labels or roles of one person. */
const MOST_OF_A_KIND = 100;

/** The way in which somebody who is invited is notified. */
@InputType()
export class SendInviteInput {
  @Field(() => Boolean, optional) email?: boolean | null;
  @Field(() => Boolean, optional) sms?: boolean | null;
}

/** The channels by which a person wants to be notified of events; an empty list means not at all. */
@InputType()
export class NotificationPreferencesInput {
  @Field(methods, optional) pendingJobReminder?: NotificationMethod[] | null;
  @Field(methods, optional) newJobRequest?: NotificationMethod[] | null;
  @Field(methods, optional) startJobReminder?: NotificationMethod[] | null;
  @Field(methods, optional) noLocationAlert?: NotificationMethod[] | null;
  @Field(methods, optional) orderPendingRequest?: NotificationMethod[] | null;
  @Field(methods, optional) orderAccepted?: NotificationMethod[] | null;
  @Field(methods, optional) orderRejected?: NotificationMethod[] | null;
  @Field(methods, optional) orderCanceled?: NotificationMethod[] | null;
  @Field(methods, optional) jobCanceled?: NotificationMethod[] | null;
  @Field(methods, optional) jobUnassigned?: NotificationMethod[] | null;
  @Field(methods, optional) endShiftReminder?: NotificationMethod[] | null;
  @Field(methods, optional) jobCompleted?: NotificationMethod[] | null;
  @Field(methods, optional) loadCompleted?: NotificationMethod[] | null;
  @Field(methods, optional) jobStateChanged?: NotificationMethod[] | null;
}

@InputType()
export class UserPreferencesInput {
  @Field(() => NotificationPreferencesInput, { nullable: true, description: 'Absent events keep their settings; null removes a setting.' })
  notifications?: NotificationPreferencesInput | null;
}

@InputType()
export class CreateUserInput {
  @Field(() => ID, { nullable: true, description: 'By default, the company of the path or your own.' }) companyId?: string | null;
  @Field() @Length(1, NAME) firstName!: string;
  @Field() @Length(1, NAME) lastName!: string;
  @Field(() => [ID], { description: 'At least one role.' }) @AtMost(MOST_OF_A_KIND) iamRoleIds!: string[];
  @Field(() => String, { nullable: true, description: 'An e-mail address or a telephone number is required.' })
  @Length(0, EMAIL)
  email?: string | null;
  @Field(() => String, { nullable: true, description: 'Stored in E.164 format.' }) phone?: string | null;
  @Field(() => String, { nullable: true, description: 'IANA zone name.' }) timeZone?: string | null;
  @Field(() => SendInviteInput, { nullable: true, description: 'How the person is invited; by default, not at all.' })
  sendInvite?: SendInviteInput | null;
  @Field(() => String, optional) @Length(0, EXTERNAL) externalId?: string | null;
  @Field(() => ID, optional) equipmentId?: string | null;
  @Field(() => [ID], optional) @AtMost(MOST_OF_A_KIND) additionalEquipmentIds?: string[] | null;
  @Field(() => Boolean, optional) textToAcceptEnabled?: boolean | null;
  @Field(() => [ID], optional) @AtMost(MOST_OF_A_KIND) labelIds?: string[] | null;
}

@InputType()
export class UpdateUserInput {
  @Field(() => String, optional) @Length(1, NAME) firstName?: string | null;
  @Field(() => String, optional) @Length(1, NAME) lastName?: string | null;
  @Field(() => [ID], ids) @AtMost(MOST_OF_A_KIND) iamRoleIds?: string[] | null;
  @Field(() => String, optional) @Length(0, EMAIL) email?: string | null;
  @Field(() => String, { nullable: true, description: 'Stored in E.164 format.' }) phone?: string | null;
  @Field(() => ID, optional) equipmentId?: string | null;
  @Field(() => [ID], ids) @AtMost(MOST_OF_A_KIND) additionalEquipmentIds?: string[] | null;
  @Field(() => ID, optional) defaultEquipmentId?: string | null;
  @Field(() => [ID], ids) @AtMost(MOST_OF_A_KIND) defaultAdditionalEquipmentIds?: string[] | null;
  @Field(() => String, { nullable: true, description: "IANA zone name; null for the company's." }) timeZone?: string | null;
  @Field(() => String, optional) @Length(0, EXTERNAL) externalId?: string | null;
  @Field(() => UserPreferencesInput, optional) preferences?: UserPreferencesInput | null;
  @Field(() => Boolean, optional) textToAcceptEnabled?: boolean | null;
  @Field(() => DriverPayBy, {
    nullable: true,
    description: "Whether time is paid for each job or for the day of the driver; null as the company's setting.",
  })
  @GraphqlOnly()
  payBy?: DriverPayBy | null;
  @Field(() => String, { nullable: true, description: 'By which prevailing wages of projects a driver is paid.' })
  @GraphqlOnly()
  @Length(0, NAME)
  wageClassification?: string | null;
  @Field(() => [ID], ids) @AtMost(MOST_OF_A_KIND) labelIds?: string[] | null;
  @Field(() => AccountType, { nullable: true, description: 'Accepted, and has no effect: what a driver is paid has one side.' })
  autoAddOnAccountType?: AccountType | null;
  @Field(() => [ID], {
    nullable: true,
    description: "Add-ons that from now on are charged by themselves for a driver's work, in addition.",
  })
  @AtMost(MOST_OF_A_KIND)
  additionalAutoAddOnIds?: string[] | null;
}
