import { ref } from '@mikro-orm/core';
import { Field, InputType } from 'type-graphql';
import { User } from '../../../directory/people/user.entity.ts';
import { takeUpload } from '../../../files/take-upload.ts';
import { viewerOf } from '../../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { asAddress, isEmail } from '../../../platform/email.ts';
import { Invalid } from '../../../platform/errors.ts';
import { Length } from '../../../platform/graphql/rules.ts';
import { About } from '../../../platform/model/about.ts';
import { requireMoney } from '../documents/require-money.ts';
import type { Settlement } from '../settlement.entity.ts';
import { lockSettlement } from '../settlement-commands.ts';
import { SettlementEmailDelivery } from './settlement-email-delivery.entity.ts';
import { mailSettlement } from './settlement-mail.ts';

/** Characters of an address (RFC 5321). */
const LONGEST = 254;
const model = 'SettlementEmailDelivery';

@InputType()
@About('SettlementEmailDelivery')
export class EmailSettlementInput {
  @Field(() => String, { nullable: true, description: 'By default, each address of the billing profile of the account.' })
  @Length(1, LONGEST)
  email?: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'The signed id of a direct upload: a PDF. By default, the settlement as it is printed.',
  })
  pdf?: string | null;
}

/**
 * Sends a settlement to an address, or to those of the billing profile, as a PDF. The mail leaves after the answer, once for each request, however often
 * it has to be tried.
 * @returns the first delivery
 * @throws Missing, Denied also to somebody who does not see the amounts that ours would contain, Invalid for an address or a file that is none
 */
export function emailSettlement(ctx: Context, path: RecordPath, input: EmailSettlementInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'edit_settlement');
    if (!input.pdf) requireMoney(tx, settlement);
    const emails = input.email == null ? await emailsOf(tx, settlement) : [asAddress(input.email)];
    if (emails.length === 0) throw new Invalid([{ model, field: 'email', key: 'required' }]);
    if (!emails.every(isEmail)) throw new Invalid([{ model, field: 'email', key: 'invalid_email' }]);
    const file = input.pdf ? await takeUpload(tx, input.pdf, { model, field: 'pdf' }, ['application/pdf']) : null;
    const viewer = viewerOf(tx);
    const deliveries: SettlementEmailDelivery[] = [];
    for (const email of emails) {
      const delivery = Object.assign(new SettlementEmailDelivery(), {
        ...{ company: settlement.company, settlement: ref(settlement), email, fileId: file?.id ?? null },
        senderUser: viewer.type === 'M2MClient' ? null : ref(User, viewer.id),
      });
      tx.em.persist(delivery);
      await mailSettlement(tx, delivery);
      emitEvent(tx, 'settlement.emailed', settlement, { email_delivery_id: delivery.id });
      deliveries.push(delivery);
    }
    return deliveries[0]!;
  });
}

const EMAILS = 'select emails from billing_profile where id = $1 and company_id = $2';

/** The addresses to which an account wants its settlements. */
async function emailsOf(tx: TxContext, { customerAccount, vendorAccount, company }: Settlement): Promise<string[]> {
  const [found] = await queryIn<{ emails: string[] }>(tx.em, EMAILS, [(customerAccount ?? vendorAccount)?.id ?? null, company.id]);
  return found?.emails ?? [];
}
