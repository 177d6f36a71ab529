import { createHmac } from 'node:crypto';
import { Ctx, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { identitySettings } from '../settings.ts';

const IdpMemberStatus = stringEnum('IdpMemberStatus', ['pending', 'needs_invite', 'invited', 'active', 'deleted']);
type IdpMemberStatus = keyof typeof IdpMemberStatus;

const COLUMNS = { columns: ['id', 'discardedAt', 'lastLoginAt', 'unclaimed', 'wasInvited'] };
export const userIdpExtension = extendEntity(User, {
  wasInvited: { sql: (t) => `exists (select 1 from invitation v where v.user_id = ${t}.id)`, internal: true },
  idpMemberId: COLUMNS,
  idpUserId: COLUMNS,
  idpPhoneId: COLUMNS,
  idpMemberStatus: COLUMNS,
  idpUserStatus: COLUMNS,
  intercomHash: COLUMNS,
});

/**
 * The data of the identity provider about a person. The provider is our own, so its ids are ours, and are known once the person has signed
 * in.
 */
@Resolver(() => User)
export class IdpResolver {
  @FieldResolver(() => ID, { nullable: true })
  idpMemberId(@Root() user: User): string | null {
    return user.lastLoginAt ? user.id : null;
  }

  @FieldResolver(() => ID, { nullable: true })
  idpUserId(@Root() user: User): string | null {
    return user.lastLoginAt ? user.id : null;
  }

  @FieldResolver(() => ID, { nullable: true, description: 'Always null: our provider has no ids of telephones.' })
  idpPhoneId(): null {
    return null;
  }

  @FieldResolver(() => IdpMemberStatus)
  idpMemberStatus(@Root() user: User): IdpMemberStatus {
    return statusOf(user);
  }

  @FieldResolver(() => IdpMemberStatus)
  idpUserStatus(@Root() user: User): IdpMemberStatus {
    return statusOf(user);
  }

  @FieldResolver(() => String, {
    description: "Proves your identity to Intercom's widget; empty for other people, and if it is not configured.",
  })
  intercomHash(@Ctx() ctx: Context, @Root() user: User): string {
    const secret = identitySettings.of(ctx.em).intercomSecret;
    const { type, id } = viewerOf(ctx);
    // Somebody who has it could speak as that person, and read what they wrote.
    return secret === '' || type !== 'User' || id !== user.id ? '' : createHmac('sha256', secret).update(user.id).digest('hex');
  }
}

/** `pending` is a state of providers that make people by themselves; ours waits for an invitation or for its acceptance. */
function statusOf(user: User): IdpMemberStatus {
  if (user.discardedAt) return 'deleted';
  if (user.unclaimed) return 'needs_invite';
  if (user.lastLoginAt) return 'active';
  return (user as { wasInvited?: boolean }).wasInvited ? 'invited' : 'needs_invite';
}
