import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import type { Tenant } from '../tenant.ts';

/** Returns the account by which a company is its own customer. There is one, which several callers may want at once. */
export async function connectedAccountOf(tenant: Tenant): Promise<string> {
  const of = { company: tenant.company.id, connectedCompany: tenant.company.id };
  const find = async () => (await tenant.app.orm.em.fork().findOne(Account, of, { filters: { tenant: false } }))?.id;
  const company = ref(tenant.company);
  const make = () => tenant.save(Account, { company, name: 'Own', accountTypes: ['customer'], connectedCompany: company });
  return (
    (await find()) ??
    make().then(
      ({ id }) => id,
      async (error) => (await find()) ?? Promise.reject(error),
    )
  );
}
