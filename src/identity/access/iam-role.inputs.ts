import { Field, InputType } from 'type-graphql';
import { Length } from '../../platform/graphql/rules.ts';

const PERMISSIONS = 'Names of permissions; `<name>:own` is for own or assigned records only.';
const optional = { nullable: true };

@InputType()
export class CreateIamRoleInput {
  @Field() @Length(1, 100) name!: string;
  @Field(() => String, optional) @Length(0, 500) description?: string | null;
  @Field(() => [String], { description: PERMISSIONS }) permissions!: string[];
}

@InputType()
export class UpdateIamRoleInput {
  @Field(() => String, optional) @Length(1, 100) name?: string;
  @Field(() => String, optional) @Length(0, 500) description?: string | null;
  @Field(() => [String], { nullable: true, description: `${PERMISSIONS} They replace the role's permissions.` }) permissions?: string[];
}
