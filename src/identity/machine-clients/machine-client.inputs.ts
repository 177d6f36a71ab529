import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { M2MClient } from './machine-client.entity.ts';

export const M2MClientConnection = connectionOf('M2MClient', () => M2MClient);

const NAME = 200;
const SHORTEST = 60;
const DAY = 86_400;
const MONTH = 30 * DAY;
/** A day suffices to bring a new secret to every server of a careful integrator. */
export const USUAL_OVERLAP = DAY;

const AUDIENCES = { nullable: true, description: "By default this API; others must be among the installation's." };
const EXTERNAL = { nullable: true, description: "The client's id at the deployment's own identity provider, if there is one." };
const TOKEN_SECONDS = {
  nullable: true,
  description: 'Null for the longest lifetime that the installation allows, which no client may exceed.',
};

@InputType()
export class CreateM2MClientInput {
  @Field(() => String) @Length(1, NAME) name!: string;
  @Field(() => [String], { description: 'Permissions by name; only those that you have.' }) scopes!: string[];
  @Field(() => [String], AUDIENCES) audiences?: string[] | null;
  @Field(() => Int, TOKEN_SECONDS) @Range(SHORTEST, DAY) tokenSeconds?: number | null;
  @Field(() => String, EXTERNAL) @Length(1, NAME) externalClientId?: string | null;
}

@InputType()
export class UpdateM2MClientInput {
  @Field(() => String, { nullable: true }) @Length(1, NAME) name?: string | null;
  @Field(() => [String], { nullable: true, description: 'The complete list; you must have the permissions that you add.' }) scopes?:
    | string[]
    | null;
  @Field(() => [String], AUDIENCES) audiences?: string[] | null;
  @Field(() => Int, TOKEN_SECONDS) @Range(SHORTEST, DAY) tokenSeconds?: number | null;
  @Field(() => String, EXTERNAL) @Length(1, NAME) externalClientId?: string | null;
}

@InputType()
@About('M2MClient')
export class RotateM2MClientInput {
  @Field(() => Int, { nullable: true, description: 'Seconds for which both secrets work; by default a day. 0 ends the old ones at once.' })
  @Range(0, MONTH)
  overlapSeconds?: number | null;
}

@ArgsType()
export class M2MClientListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}
