import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Choice, Instant, One, RecordBase, stringEnum, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const SignInMethod = stringEnum(
  'SignInMethod',
  ['password', 'magic_link', 'otp_sms', 'sso', 'reset_password', 'signup'],
  'How the session was opened.',
);
export type SignInMethod = keyof typeof SignInMethod;

/** A person signed in somewhere. Its tokens live minutes and open nothing once it is revoked. */
@Entity({ tableName: 'user_session' })
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A place where a person is signed in.' })
export class UserSession extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @One(() => User, { required: true, hidden: true }) user!: Ref<User>;
  @Choice(() => SignInMethod, { required: true }) method!: SignInMethod;
  /** SHA-256 of the part of the refresh token that stays; it finds the session. */
  @Text({ required: true, hidden: true }) familyHash!: string;
  /** SHA-256 of the part that changes with every refresh. */
  @Text({ required: true, hidden: true }) refreshHash!: string;
  /** The previous refresh token. */
  @Text({ hidden: true }) previousHash?: string | null;
  @Instant({ required: true, description: 'When a token was last issued.' }) refreshedAt!: Date;
  @Instant({ required: true, description: 'When the session ends unless it is refreshed before.' }) expiresAt!: Date;
  @Instant({ required: true, hidden: true }) endsAt!: Date;
  @Text({ description: 'IP address from which it was opened.' }) address?: string | null;
  @Text({ description: 'The user agent of the program.' }) userAgent?: string | null;
  @Instant({ hidden: true }) revokedAt?: Date | null;
  @Text({ hidden: true }) revokedFor?: string | null;
}
