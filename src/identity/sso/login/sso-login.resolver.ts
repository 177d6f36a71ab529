import { Arg, Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import { Public } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { About } from '../../../platform/model/about.ts';
import { Session } from '../../sessions/session.resolver.ts';
import { signingIn } from '../../sign-in/sign-in-purpose.ts';
import { logInBySso } from './log-in-by-sso.ts';

@InputType()
@About('Session')
export class SsoLoginInput {
  @Field({ description: 'From the fragment of the page on which a sign-in ended; can be used once, for a minute.' }) ssoToken!: string;
}

@Resolver()
export class SsoLoginResolver {
  @Mutation(() => Session, { description: 'Finish a sign-in by an identity provider. Requires no token.' })
  @Public()
  ssoLogin(@Ctx() ctx: Context, @Arg('input', () => SsoLoginInput) input: SsoLoginInput): Promise<Session> {
    return signingIn(() => logInBySso(ctx, input));
  }
}
