import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Public } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { About } from '../../platform/model/about.ts';
import { Session } from '../sessions/session.resolver.ts';
import { logInByMagicLink, requestMagicLink } from './magic-link.ts';
import { logInByOtp, requestOtp } from './otp-sms.ts';
import { forgotPassword, resetPassword } from './reset-password.ts';
import { signingIn } from './sign-in-purpose.ts';
import { signUp } from './sign-up.ts';

@InputType()
@About('Request')
export class EmailAddressInput {
  @Field() email!: string;
}
@InputType()
@About('Session')
export class MagicLinkLoginInput {
  @Field() magicLinksToken!: string;
}
@InputType()
@About('Request')
export class PhoneInput {
  @Field({ description: 'In international format, or as dialled in the United States.' }) phone!: string;
}
@InputType()
@About('Session')
export class OtpSmsLoginInput {
  @Field() phoneId!: string;
  @Field() code!: string;
}
@InputType()
@About('Session')
export class ResetPasswordInput {
  @Field() passwordResetToken!: string;
  @Field() password!: string;
}
@InputType()
@About('User')
export class SignUpInput {
  @Field({ description: 'From the link of the invitation.' }) magicLinksToken!: string;
  @Field() password!: string;
}

@ObjectType({ simpleResolvers: true })
export class OtpSms {
  @Field(() => ID, { description: 'Sent back together with the code.' }) phoneId!: string;
}

const QUIET = 'Returns true whether or not somebody has the address. Requires no token.';

@Resolver()
export class SignInResolver {
  @Mutation(() => Boolean, { description: `Sends a sign-in link to an e-mail address. ${QUIET}` })
  @Public()
  async requestMagicLink(@Ctx() ctx: Context, @Arg('input', () => EmailAddressInput) input: EmailAddressInput): Promise<boolean> {
    await signingIn(() => requestMagicLink(ctx, input));
    return true;
  }

  @Mutation(() => Session, { description: 'Log in with the token of a link, which can be used once. Requires no token.' })
  @Public()
  logInByMagicLink(@Ctx() ctx: Context, @Arg('input', () => MagicLinkLoginInput) input: MagicLinkLoginInput): Promise<Session> {
    return signingIn(() => logInByMagicLink(ctx, input));
  }

  @Mutation(() => OtpSms, {
    description: 'Sends a code to a telephone. The answer has an id whether or not somebody has the number. Requires no token.',
  })
  @Public()
  async requestOtpSms(@Ctx() ctx: Context, @Arg('input', () => PhoneInput) input: PhoneInput): Promise<OtpSms> {
    return { phoneId: await signingIn(() => requestOtp(ctx, input)) };
  }

  @Mutation(() => Session, { description: 'Log in with the code that came by SMS; five attempts. Requires no token.' })
  @Public()
  logInByOtpSms(@Ctx() ctx: Context, @Arg('input', () => OtpSmsLoginInput) input: OtpSmsLoginInput): Promise<Session> {
    return signingIn(() => logInByOtp(ctx, input));
  }

  @Mutation(() => Boolean, { description: `Sends a link for choosing a new password to an e-mail address. ${QUIET}` })
  @Public()
  async forgotPassword(@Ctx() ctx: Context, @Arg('input', () => EmailAddressInput) input: EmailAddressInput): Promise<boolean> {
    await signingIn(() => forgotPassword(ctx, input));
    return true;
  }

  @Mutation(() => Session, { description: 'Choose a new password; all other sessions end. Requires no token.' })
  @Public()
  resetPassword(@Ctx() ctx: Context, @Arg('input', () => ResetPasswordInput) input: ResetPasswordInput): Promise<Session> {
    return signingIn(() => resetPassword(ctx, input));
  }

  @Mutation(() => Session, { description: 'Choose the first password by an invitation, and sign in. Requires no token.' })
  @Public()
  signUp(@Ctx() ctx: Context, @Arg('input', () => SignUpInput) input: SignUpInput): Promise<Session> {
    return signingIn(() => signUp(ctx, input));
  }
}
