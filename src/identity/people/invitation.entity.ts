import { ref } from '@mikro-orm/core';
import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { Choice, Instant, One, RecordBase, stringEnum, Uuid } from '../../platform/model/columns.ts';

export const InvitationChannel = stringEnum('InvitationChannel', ['email', 'sms']);
export type InvitationChannel = keyof typeof InvitationChannel;

/** A request to invite somebody to sign up. Written with the person; the code that delivers it sets `sentAt`. */
@Entity()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Invitation extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => User, { required: true }) user!: Ref<User>;
  /** The inviting company; null when it is the person's own. */
  @Uuid({ hidden: true }) inviterCompanyId?: string | null;
  @Choice(() => InvitationChannel, { required: true }) channel!: InvitationChannel;
  @Instant() sentAt?: Date | null;
}

/** Sends an invitation to sign up over one channel, once the transaction is committed. */
export function inviteWithin(tx: TxContext, user: User, channel: InvitationChannel, inviterCompanyId?: string): Invitation {
  const invitation = Object.assign(new Invitation(), { company: user.company, user: ref(user), channel, inviterCompanyId });
  tx.em.persist(invitation);
  return invitation;
}
