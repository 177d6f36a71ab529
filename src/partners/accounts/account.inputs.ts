import { Field, ID, InputType, Int } from 'type-graphql';
import { AccountType } from '../../directory/accounts/account.entity.ts';
import { CreateAddressInput, UpdateAddressInput } from '../../directory/contacts/address.inputs.ts';
import { ContactInput } from '../../directory/contacts/contact.inputs.ts';
import { EquipmentOwnership } from '../../directory/equipment/equipment.entity.ts';
import { ActivityState } from '../../directory/master-data/activity-state.ts';
import { SendInviteInput } from '../../identity/people/user.inputs.ts';
import { AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { stringEnum } from '../../platform/model/columns.ts';

const optional = { nullable: true };
const NAME = 500;
const TEXT = 10_000;
const MOST_TRUCKS = 100_000;

/** A platform is run by its `super` companies; nobody invites such a company. */
export const InvitedCompanyType = stringEnum('InvitedCompanyType', ['broker', 'contractor', 'hauler', 'owner_operator', 'producer']);
export type InvitedCompanyType = keyof typeof InvitedCompanyType;
/** Labels, or add-ons at once, of one account. */
const MOST_OF_A_KIND = 100;

@InputType()
@About('Account')
export class ConnectAccountInput {
  @Field(() => String, { description: 'Six hexadecimal digits.' }) @Length(6, 6) platformId!: string;
  @Field(() => [AccountType], { description: "The other company's relation to you; to it, you become the opposite." })
  accountTypes!: AccountType[];
}

@InputType()
@About('Account')
export class ConnectCompaniesInput {
  @Field(() => ID) senderCompanyId!: string;
  @Field(() => ID) receiverCompanyId!: string;
  @Field(() => [AccountType], { description: "The receiver's relation to the sender." }) senderAccountTypes!: AccountType[];
}

/** A truck of the new company, shared with the inviting company. */
@InputType()
export class InviteEquipmentInput {
  @Field(() => String) @Length(1, NAME) name!: string;
  @Field(() => String, optional) @Length(1, NAME) externalId?: string | null;
  @Field(() => String, optional) @Length(1, NAME) licenseNumber?: string | null;
  @Field(() => String, { description: 'The new company gets an equipment type of this name.' }) @Length(1, NAME) equipmentTypeName!: string;
  @Field(() => String, { nullable: true, description: "The inviting company's name for it." })
  @Length(1, NAME)
  companyShareExternalId?: string | null;
}

/** A truck of the inviting company. */
@InputType()
export class InviteInternalEquipmentInput {
  @Field(() => String) @Length(1, NAME) name!: string;
  @Field(() => ID) equipmentTypeId!: string;
  @Field(() => EquipmentOwnership, optional) ownership?: EquipmentOwnership | null;
  @Field(() => ActivityState, optional) state?: ActivityState | null;
  @Field(() => ID, optional) homeBaseId?: string | null;
}

@InputType()
@About('Account')
export class InviteAccountInput {
  @Field(() => String) @Length(1, NAME) name!: string;
  @Field(() => ContactInput, { description: 'The administrator of the new company.' }) contact!: ContactInput;
  @Field(() => CreateAddressInput) address!: CreateAddressInput;
  @Field(() => [AccountType]) accountTypes!: AccountType[];
  @Field(() => ID, { nullable: true, description: 'The company that invites.' }) companyId?: string | null;
  @Field(() => ID, { nullable: true, description: 'The same as `companyId`.' }) scopedCompanyId?: string | null;
  @Field(() => String, { nullable: true, description: 'Name of a department.' }) @Length(1, NAME) department?: string | null;
  @Field(() => ID, optional) departmentId?: string | null;
  @Field(() => String, optional) @Length(0, TEXT) notes?: string | null;
  @Field(() => String, optional) @Length(1, NAME) externalId?: string | null;
  @Field(() => String, optional) @Length(1, NAME) accountingId?: string | null;
  @Field(() => Int, { nullable: true, description: 'Trucks that the vendor can send on a day; 0 means no limit.' })
  @Range(0, MOST_TRUCKS)
  truckCount?: number | null;
  @Field(() => Boolean) autoAcceptOrders!: boolean;
  @Field(() => SendInviteInput, optional) sendInvite?: SendInviteInput | null;
  @Field(() => InvitedCompanyType, { nullable: true, description: 'By default, producer.' }) companyType?: InvitedCompanyType | null;
  @Field(() => String, { nullable: true, description: 'IANA zone name; by default, that of your company.' }) timeZone?: string | null;
  @Field(() => InviteEquipmentInput, optional) equipment?: InviteEquipmentInput | null;
  @Field(() => InviteInternalEquipmentInput, optional) internalEquipment?: InviteInternalEquipmentInput | null;
  @Field(() => [ID], optional) @AtMost(MOST_OF_A_KIND) labelIds?: string[] | null;
}

/** The fields of the other side's account for us that we may set. */
@InputType()
export class UpdateConnectedAccountInput {
  @Field(() => Int, { nullable: true, description: 'Trucks that your company can send them on a day; 0 means no limit.' })
  @Range(0, MOST_TRUCKS)
  truckCount?: number;
}

@InputType()
class AccountFieldsInput {
  @Field(() => String, { nullable: true, description: 'Name of a department.' }) @Length(0, NAME) department?: string | null;
  @Field(() => ID, optional) departmentId?: string | null;
  @Field(() => ContactInput, optional) primaryContact?: ContactInput | null;
  @Field(() => ContactInput, optional) billingContact?: ContactInput | null;
  @Field(() => String, optional) @Length(0, TEXT) notes?: string | null;
  @Field(() => String, optional) @Length(0, NAME) externalId?: string | null;
  @Field(() => String, optional) @Length(0, NAME) accountingId?: string | null;
  @Field(() => Int, { nullable: true, description: 'Trucks that the vendor can send on a day; 0 means no limit.' })
  @Range(0, MOST_TRUCKS)
  truckCount?: number | null;
  @Field(() => Boolean, { nullable: true, description: 'Orders sent to this connected vendor are accepted there automatically.' })
  autoAcceptOrders?: boolean | null;
  @Field(() => [ID], optional) @AtMost(MOST_OF_A_KIND) labelIds?: string[];
}

@InputType()
export class CreateAccountInput extends AccountFieldsInput {
  @Field(() => String) @Length(1, NAME) name!: string;
  @Field(() => [AccountType]) accountTypes!: AccountType[];
  @Field(() => CreateAddressInput, optional) address?: CreateAddressInput | null;
  @Field(() => CreateAddressInput, optional) billingAddress?: CreateAddressInput | null;
  @Field(() => ID, { nullable: true, description: 'The company to which the account is added; by default, your own.' }) companyId?:
    | string
    | null;
  declare connectedAccount?: undefined;
}

@InputType()
export class UpdateAccountInput extends AccountFieldsInput {
  @Field(() => String, optional) @Length(1, NAME) name?: string | null;
  @Field(() => [AccountType], { nullable: true, description: 'For a connected account, the other side becomes the opposite to you.' })
  accountTypes?: AccountType[];
  @Field(() => UpdateAddressInput, optional) address?: UpdateAddressInput | null;
  @Field(() => UpdateAddressInput, optional) billingAddress?: UpdateAddressInput | null;
  @Field(() => UpdateConnectedAccountInput, optional) connectedAccount?: UpdateConnectedAccountInput;
  @Field(() => AccountType, { nullable: true, description: 'As what add-ons are added; needed if it is both a customer and a vendor.' })
  autoAddOnAccountType?: AccountType | null;
  @Field(() => [ID], { nullable: true, description: 'Add-ons that from now on are charged by themselves for its work, in addition.' })
  @AtMost(MOST_OF_A_KIND)
  additionalAutoAddOnIds?: string[] | null;
}

@InputType()
@About('Account')
export class BulkUpdateAccountInput {
  @Field(() => ID) id!: string;
  @Field(() => Boolean, { nullable: true, description: 'False: off until further notice; true ends that.' }) available?: boolean | null;
  @Field(() => UpdateConnectedAccountInput, optional) connectedAccount?: UpdateConnectedAccountInput;
}
