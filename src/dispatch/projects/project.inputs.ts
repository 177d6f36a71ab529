import { Field, ID, InputType, Int } from 'type-graphql';
import { ContactInput } from '../../directory/contacts/contact.inputs.ts';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { CreateAccountInput } from '../../partners/accounts/account.inputs.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { GraphqlOnly } from '../../platform/read/time-range.ts';
import { DateTime } from '../../platform/scalars.ts';
import { MOST_MATERIALS, MOST_STOPS, TRUCKS_OF_ORDER } from '../fields/limits.ts';
import { CreateWaypointInput, DispatchNumberInput, UpdateDispatchNumberInput, UpdateWaypointInput } from '../fields/part.inputs.ts';
import { TEXT, TermFields } from '../fields/work-terms.inputs.ts';

const optional = { nullable: true };

/** The quantity of a material that a project is about. */
@InputType()
export class CreateProjectMaterialInput {
  @Field(() => ID) materialId!: string;
  @Field(() => DecimalScalar, optional) @Range(0) totalQuantity?: Decimal | null;
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
}

@InputType()
export class UpdateProjectMaterialInput {
  @Field(() => ID, optional) id?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) totalQuantity?: Decimal | null;
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  /** 1 removes it. */
  @Field(() => Int, optional) _destroy?: number | null;
}

/** The most classifications of a project, and the most that is paid for an hour. */
const MOST_WAGES = 100;
const MOST_WAGE = 10_000;

/** The wage that a project prescribes for an hour of a classification. */
@InputType()
export class ProjectWageInput {
  @Field(() => String, { description: 'As in `wageClassification` of drivers.' }) @Length(1, 255) classification!: string;
  @Field(() => DecimalScalar, { description: 'For an hour; one and a half times for overtime.' }) @Amount(0, MOST_WAGE) base!: Decimal;
  @Field(() => DecimalScalar, { description: 'Benefits for an hour, also of overtime.' }) @Amount(0, MOST_WAGE) fringe!: Decimal;
  @Field(() => DecimalScalar, { nullable: true, description: 'At most the fringe; by default, 0.' })
  @Amount(0, MOST_WAGE)
  credit?: Decimal | null;
}

/** The common fields of creating and changing a project. */
@InputType()
abstract class ProjectFields extends TermFields {
  @Field(() => DateTime, optional) effectiveAt?: Date | null;
  @Field(() => DateTime, optional) expiresAt?: Date | null;
  @Field(() => String, optional) @Length(0, TEXT) orderNotes?: string | null;
  @Field(() => ContactInput, optional) contact?: ContactInput | null;
  @Field(() => ID, optional) siteId?: string | null;
  @Field(() => ID, optional) serviceId?: string | null;
  @Field(() => Int, optional) @Range(1, TRUCKS_OF_ORDER) truckCount?: number | null;
  @Field(() => DecimalScalar, optional) @Range(0) orderQuantity?: Decimal | null;
  @Field(() => UnitOfMeasure, optional) orderUnitOfMeasure?: UnitOfMeasure | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether drivers are paid by the hour at the wage of their classification.' })
  @GraphqlOnly()
  prevailingWage?: boolean | null;
  @Field(() => [ProjectWageInput], { nullable: true, description: 'The wages that the project prescribes, instead of those before.' })
  @GraphqlOnly()
  @AtMost(MOST_WAGES)
  wages?: ProjectWageInput[] | null;
}

@InputType()
export class CreateProjectInput extends ProjectFields {
  @Field(() => String) @Length(1, 255) name!: string;
  @Field(() => ID, { nullable: true, description: 'The customer; or `account`, to create one.' }) accountId?: string | null;
  @Field(() => CreateAccountInput, optional) account?: CreateAccountInput | null;
  /** The owning company; the caller's own by default. */
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => [CreateProjectMaterialInput], optional) @AtMost(MOST_MATERIALS) projectMaterialTotals?: CreateProjectMaterialInput[] | null;
  @Field(() => [CreateWaypointInput], optional) @AtMost(MOST_STOPS) waypoints?: CreateWaypointInput[] | null;
  @Field(() => DispatchNumberInput, optional) dispatchNumber?: DispatchNumberInput | null;
}

@InputType()
export class UpdateProjectInput extends ProjectFields {
  @Field(() => String, optional) @Length(1, 255) name?: string | null;
  @Field(() => [UpdateProjectMaterialInput], optional) @AtMost(MOST_MATERIALS) projectMaterialTotals?: UpdateProjectMaterialInput[] | null;
  @Field(() => [UpdateWaypointInput], optional) @AtMost(MOST_STOPS) waypoints?: UpdateWaypointInput[] | null;
  @Field(() => UpdateDispatchNumberInput, optional) dispatchNumber?: UpdateDispatchNumberInput | null;
  /** The version that the client has read. If the database has another one, the answer is a conflict. */
  @Field(() => Int, optional) version?: number | null;
}
