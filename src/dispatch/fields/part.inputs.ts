import { Field, ID, InputType, Int } from 'type-graphql';
import { ContactInput } from '../../directory/contacts/contact.inputs.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { WaypointType } from '../model/states.ts';

@InputType()
export class CreateWaypointInput {
  @Field(() => WaypointType) type!: WaypointType;
  @Field(() => ID) siteId!: string;
  @Field(() => Int) ordinality!: number;
  @Field(() => ContactInput, { nullable: true }) contact?: ContactInput | null;
}

@InputType()
export class UpdateWaypointInput {
  @Field(() => ID, { nullable: true }) id?: string | null;
  @Field(() => WaypointType, { nullable: true }) type?: WaypointType | null;
  @Field(() => ID, { nullable: true }) siteId?: string | null;
  @Field(() => Int, { nullable: true }) ordinality?: number | null;
  @Field(() => ContactInput, { nullable: true }) contact?: ContactInput | null;
  @Field(() => Int, { nullable: true }) _destroy?: number | null;
}

@InputType()
export class PhaseInput {
  @Field(() => ID, { nullable: true }) id?: string | null;
  @Field(() => String, { nullable: true }) @Length(1, 200) name?: string | null;
  @Field(() => String, { nullable: true }) @Length(0, 100) code?: string | null;
  @Field(() => Boolean, { nullable: true }) primary?: boolean | null;
  @Field(() => Int, { nullable: true }) _destroy?: number | null;
}

@InputType()
export class DispatchNumberInput {
  @Field(() => String) @Length(1, 100) name!: string;
}

@InputType()
export class UpdateDispatchNumberInput {
  @Field(() => String, { nullable: true }) @Length(1, 100) name?: string | null;
  /** 1 removes it from the order. */
  @Field(() => Int, { nullable: true }) _destroy?: number | null;
}
