import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Company } from '../../directory/companies/company.entity.ts';
import { builtInTypes } from '../../directory/equipment/built-in-types.ts';
import { User } from '../../directory/people/user.entity.ts';
import { invite } from '../../identity/people/invite-user.ts';
import { SIGN_IN } from '../../identity/sign-in/sign-in-purpose.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { asCompanies, runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import { newCompany } from './create-company.ts';

/**
 * Lets the first person into an installation without the demo. When there is no company yet, it makes one for the operator, and its
 * platform administrator, who is invited by mail. If several processes start at once, one does it.
 * @param email as `asAddress` returns it; without one nobody is made
 * @returns `made`, `nobody` when the database is empty and stays so, `there` when there was a company before
 */
export function letFirstAdministratorIn(em: EntityManager, email: string | undefined): Promise<'made' | 'nobody' | 'there'> {
  const ctx = { requestId: newId(), language: 'en', em: em.fork({ clear: true }), memo: new Map() } as Partial<Context> as Context;
  return asCompanies([], () =>
    transact(ctx, async (tx) => {
      await queryIn(tx.em, "select pg_advisory_xact_lock(hashtext('haulgate:demo'))", []);
      if (await runAsPurpose(SIGN_IN, () => tx.em.count(Company, {}, { filters: { tenant: false } }))) return 'there';
      if (!email) return 'nobody';
      await make(tx, email);
      return 'made';
    }),
  );
}

/** A placeholder: name, time zone and the rest are for the person to set after signing in. */
async function make(tx: TxContext, email: string): Promise<void> {
  const company = Object.assign(await newCompany(tx), { legalName: 'Platform', timeZone: 'UTC' });
  tx.em.persist(builtInTypes(company));
  const user = Object.assign(new User(), {
    company: ref(company),
    firstName: 'Platform',
    lastName: 'Administrator',
    email,
    roles: ['platform_admin', 'company_admin'],
  });
  tx.em.persist(user);
  await invite(tx, user, 'email');
  emitEvent(tx, 'company.created', company);
}
