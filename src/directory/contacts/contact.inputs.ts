import { Field, ID, InputType, Int } from 'type-graphql';
import { Length } from '../../platform/graphql/rules.ts';

/** Somebody to call, as written. */
@InputType()
export class ContactInput {
  @Field(() => ID, { nullable: true }) id?: string | null;
  @Field(() => String, { nullable: true }) @Length(0, 200) name?: string | null;
  @Field(() => String, { nullable: true }) @Length(0, 320) email?: string | null;
  @Field(() => String, { nullable: true }) @Length(0, 40) phone?: string | null;
  /** 1 removes it. */
  @Field(() => Int, { nullable: true }) _destroy?: number | null;
}
