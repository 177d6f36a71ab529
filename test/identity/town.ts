import { resolve } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { serve } from '../../src/app/serve.ts';
import { Company } from '../../src/directory/companies/company.entity.ts';
import { User } from '../../src/directory/people/user.entity.ts';
import type { Permission } from '../../src/identity/access/permissions.ts';
import { makeMachineClient } from '../../src/identity/machine-clients/machine-clients.ts';
import { Credential } from '../../src/identity/passwords/credential.entity.ts';
import { hashPassword } from '../../src/identity/passwords/passwords.ts';
import { Application } from '../../src/platform/application.ts';
import { createLog } from '../../src/platform/log.ts';
import { provideUsual } from '../helpers/application.ts';
import { asApp, migratedDatabase } from '../helpers/database.ts';
import { ownersOrm, productsOrm } from '../jest/products-orm.ts';

/** A separate database with a server on it. */
export interface Town {
  /** The owner's connections. */
  orm: MikroORM;
  /** The product's connections, in the application's role. */
  own: MikroORM;
  url: string;
  close(): Promise<void>;
}

export async function openTown(): Promise<Town> {
  const database = await migratedDatabase();
  const own = await productsOrm(asApp(database), provideUsual(new Application()));
  const orm = ownersOrm(database, own);
  const web = await serve({
    orm: own,
    log: createLog('silent'),
    port: 0,
    // Once for the whole run, in test/jest/setup.ts.
    checked: true,
    host: '127.0.0.1',
    root: resolve('.'),
    build: { version: 'test', sha: 'abc', time: new Date() },
  });
  return {
    orm,
    own,
    url: `http://127.0.0.1:${web.port}`,
    async close() {
      await web.close();
      await own.close(true);
      await orm.close(true);
    },
  };
}

let number = 0;

export async function addCompany(town: Town, more: { parent?: Company; discardedAt?: Date } = {}): Promise<Company> {
  const em = town.orm.em.fork();
  const company = em.create(Company, {
    platformId: (++number).toString(16).toUpperCase().padStart(6, '0'),
    legalName: `Company ${number}`,
    parentCompany: more.parent ?? null,
    discardedAt: more.discardedAt,
  } as never);
  await em.persist(company).flush();
  return company;
}

export async function addUser(town: Town, company: Company, more: Partial<User> & { password?: string } = {}): Promise<User> {
  const { password, ...fields } = more;
  const em = town.orm.em.fork();
  const user = em.create(User, {
    company: em.getReference(Company, company.id),
    firstName: 'Ada',
    lastName: 'Gravel',
    email: `user${++number}@example.com`,
    roles: ['dispatcher'],
    ...fields,
  } as never);
  await em.persist(user).flush();
  if (password) await em.persist(em.create(Credential, { userId: user.id, passwordHash: await hashPassword(password) } as never)).flush();
  return user;
}

export async function addClient(town: Town, company: Company, permissions: Permission[] = ['create_order', 'edit_order']) {
  const em = town.orm.em.fork();
  const made = makeMachineClient(em, em.getReference(Company, company.id), { name: 'Batch sender', permissions });
  await em.flush();
  return made;
}
