import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { AccountType } from '../../directory/accounts/account.entity.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, Range } from '../../platform/graphql/rules.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { AddOnType } from '../add-ons/add-on.entity.ts';
import { AS_ADD_ON, ChargedTermsInput } from '../add-ons/charged-terms.inputs.ts';
import { MOST_QUANTITY } from '../add-ons/terms.ts';
import { AutoAddOnAssignment } from './auto-add-on-assignment.entity.ts';

const optional = { nullable: true };
/** Settlements of a hundred years, one a week: what is beyond is a typing error. */
const MOST_INSTALLMENTS = 5_200;

@InputType()
export class UpdateAutoAddOnAssignmentInput extends ChargedTermsInput {
  @Field(() => [AddOnType], { nullable: true, description: 'Where it is charged; by default, where the add-on may be used.' })
  addOnTypes?: AddOnType[] | null;
  @Field(() => DecimalScalar, AS_ADD_ON) @Amount(0, MOST_QUANTITY) quantity?: Decimal | null;
  @Field(() => Int, { nullable: true, description: 'After how many settlements it stops; 0 means never.' })
  @Range(0, MOST_INSTALLMENTS)
  totalInstallments?: number | null;
}

@InputType()
export class CreateAutoAddOnAssignmentInput extends UpdateAutoAddOnAssignmentInput {
  @Field(() => ID, { nullable: true, description: 'The add-on that is charged; its values hold for what is not sent.' })
  addOnId?: string | null;
  @Field(() => AccountType, {
    nullable: true,
    description:
      'The side on which it is charged: required for accounts; of projects, schedules and orders, null means drivers; of other records, the record says it.',
  })
  accountType?: AccountType | null;
  @Field(() => ID, {
    nullable: true,
    description: 'One that is the same charge on another record, of the same side: the one of the most particular record applies.',
  })
  originalAutoAddOnAssignmentId?: string | null;
}

@InputType()
export class AutoAddOnAssignmentFilter {
  @Field(() => AccountType, { nullable: true, description: 'Those of this side.' }) accountType?: AccountType | null;
}

export const AutoAddOnAssignmentConnection = connectionOf('AutoAddOnAssignment', () => AutoAddOnAssignment);

@ArgsType()
export class AutoAddOnAssignmentListArgs extends PageArgs {
  @Field(() => AutoAddOnAssignmentFilter, optional) filter?: AutoAddOnAssignmentFilter | null;
}
