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
  @Field({ description: 'International, or as it is dialled in the United States.' }) phone!: string;
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

const QUIET = 'True whether or not somebody has it. Needs no token.';

@Resolver()
export class SignInResolver {
  @Mutation(() => Boolean, { description: `Has a link to sign in with sent to an e-mail address. ${QUIET}` })
  @Public()
  async requestMagicLink(@Ctx() ctx: Context, @Arg('input', () => EmailAddressInput) input: EmailAddressInput): Promise<boolean> {
    await signingIn(() => requestMagicLink(ctx, input));
    return true;
  }

  @Mutation(() => Session, { description: 'Log in with the token of a link, which is good once. Needs no token.' })
  @Public()
  logInByMagicLink(@Ctx() ctx: Context, @Arg('input', () => MagicLinkLoginInput) input: MagicLinkLoginInput): Promise<Session> {
    return signingIn(() => logInByMagicLink(ctx, input));
  }

  @Mutation(() => OtpSms, { description: 'Has a code sent to a telephone; answers an id whether or not somebody has it. Needs no token.' })
  @Public()
  async requestOtpSms(@Ctx() ctx: Context, @Arg('input', () => PhoneInput) input: PhoneInput): Promise<OtpSms> {
    return { phoneId: await signingIn(() => requestOtp(ctx, input)) };
  }

  @Mutation(() => Session, { description: 'Log in with the code that came by SMS; five tries. Needs no token.' })
  @Public()
  logInByOtpSms(@Ctx() ctx: Context, @Arg('input', () => OtpSmsLoginInput) input: OtpSmsLoginInput): Promise<Session> {
    return signingIn(() => logInByOtp(ctx, input));
  }

  @Mutation(() => Boolean, { description: `Has a link to choose a new password sent to an e-mail address. ${QUIET}` })
  @Public()
  async forgotPassword(@Ctx() ctx: Context, @Arg('input', () => EmailAddressInput) input: EmailAddressInput): Promise<boolean> {
    await signingIn(() => forgotPassword(ctx, input));
    return true;
  }

  @Mutation(() => Session, { description: 'Choose a new password and be signed out everywhere else. Needs no token.' })
  @Public()
  resetPassword(@Ctx() ctx: Context, @Arg('input', () => ResetPasswordInput) input: ResetPasswordInput): Promise<Session> {
    return signingIn(() => resetPassword(ctx, input));
  }

  @Mutation(() => Session, { description: 'Choose the first password by an invitation and be signed in. Needs no token.' })
  @Public()
  signUp(@Ctx() ctx: Context, @Arg('input', () => SignUpInput) input: SignUpInput): Promise<Session> {
    return signingIn(() => signUp(ctx, input));
  }
}
