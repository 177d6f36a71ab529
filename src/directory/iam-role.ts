import { Field, ID, ObjectType } from 'type-graphql';
import { v5 } from 'uuid';

/** Any fixed uuid: it makes the ids of the built-in roles the same in every installation. */
const NAMESPACE = '6d7c1c5a-3f0e-5a52-9d0b-9a3f6f6f2f10';

/** A role a person has. The built-in ones are no rows: id and name follow from the role's key. */
@ObjectType({ simpleResolvers: true })
export class IamRole {
  @Field(() => ID) id!: string;
  @Field() name!: string;

  /** @param roles role keys, such as `company_admin` (named "Company Admin") */
  static listOf(roles: readonly string[]): IamRole[] {
    return roles.map((role) => ({
      id: v5(role, NAMESPACE),
      name: role
        .split('_')
        .map((word) => (word === 'it' ? 'IT' : word.charAt(0).toUpperCase() + word.slice(1)))
        .join(' '),
    }));
  }
}
