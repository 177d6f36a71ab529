import { Field, InputType } from 'type-graphql';
import { Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { SsoKind } from './sso-connection.entity.ts';

const optional = { nullable: true };
const NAME = 200;
const URL_LENGTH = 2000;

/** The fields that may be changed later; the kind may not. */
@InputType()
export class UpdateSsoProviderInput {
  @Field(() => String, optional) @Length(1, NAME) displayName?: string | null;
  @Field(() => String, optional) identityProvider?: string | null;
  @Field(() => [String], { nullable: true, description: 'Replaces all of them; one to fifty.' }) domains?: string[] | null;
  @Field(() => String, optional) @Length(1, URL_LENGTH) issuer?: string | null;
  @Field(() => String, optional) @Length(1, URL_LENGTH) clientId?: string | null;
  @Field(() => String, { nullable: true, description: 'Null removes it, for a public client. It is never returned.' })
  @Length(1, URL_LENGTH)
  clientSecret?: string | null;
  @Field(() => String, optional) @Length(1, URL_LENGTH) samlEntryPoint?: string | null;
  @Field(() => String, optional) @Length(1, URL_LENGTH) samlEntityId?: string | null;
  @Field(() => [String], {
    nullable: true,
    description: 'Replaces all of them; five at most, so that a new one can be added before the old one is removed.',
  })
  samlCertificates?: string[] | null;
}

@InputType()
export class CreateSsoProviderInput extends UpdateSsoProviderInput {
  @Field(() => SsoKind) kind!: SsoKind;
  @Field(() => String) @Length(1, NAME) declare displayName: string;
  @Field(() => [String]) declare domains: string[];
}

/** Contract: `SSOConnection-Query`, `AuthMethod-Query`. */
@InputType()
@About('Request')
export class EmailInput {
  @Field(() => String) email!: string;
}
