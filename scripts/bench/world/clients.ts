import { type MikroORM, ref } from '@mikro-orm/postgresql';
import { Company } from '../../../src/directory/companies/company.entity.ts';
import { User } from '../../../src/directory/people/user.entity.ts';
import { PERMISSIONS } from '../../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../../src/identity/machine-clients/machine-clients.ts';
import { Credential } from '../../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../../src/identity/passwords/passwords.ts';

export interface Client {
  clientId: string;
  clientSecret: string;
  companyId: string;
}

const companyOf = (em: MikroORM['em'], legalName: string): Promise<Company> =>
  em.findOneOrFail(Company, { legalName }, { filters: { tenant: false } });

/** Makes a machine client of a generated company that may do everything. */
export async function makeClient(orm: MikroORM, legalName: string): Promise<Client> {
  const em = orm.em.fork();
  const company = await companyOf(em, legalName);
  const { client, clientSecret } = makeMachineClient(em, company, { name: 'bench', permissions: PERMISSIONS });
  await em.flush();
  return { clientId: client.clientId, clientSecret, companyId: company.id };
}

/** Makes a platform administrator, and signs them in. @param base of the product @returns the token */
export async function signInAdministrator(orm: MikroORM, base: URL): Promise<string> {
  const em = orm.em.fork();
  const company = await companyOf(em, 'Company 1');
  const credentials = { email: 'administrator@bench.example', password: 'gravel and sand' };
  const user = Object.assign(new User(), {
    company: ref(company),
    firstName: 'Ada',
    lastName: 'Gravel',
    email: credentials.email,
    roles: ['platform_admin'],
  });
  await em.persist(user).flush();
  em.persist(Object.assign(new Credential(), { userId: user.id, passwordHash: await hashPassword(credentials.password) }));
  await em.flush();
  const answer = await fetch(new URL('/v1/auth/login', base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  if (!answer.ok) throw new Error(`signing in answers ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { data: { session_jwt: string } }).data.session_jwt;
}
