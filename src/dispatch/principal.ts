import { Field, ID, ObjectType } from 'type-graphql';

/** Who did something: a person, a machine client, or the system. */
@ObjectType({ simpleResolvers: true })
export class Principal {
  /** `User`, `M2MClient` or `System`. */
  @Field(() => String) type!: string;
  @Field(() => ID, { nullable: true }) id!: string | null;
  @Field(() => String, { nullable: true }) name!: string | null;
}
