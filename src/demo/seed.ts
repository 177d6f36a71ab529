import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Company } from '../directory/companies/company.entity.ts';
import type { Role } from '../directory/people/user.entity.ts';
import { grantsOf } from '../identity/access/matrix.ts';
import { PERMISSIONS } from '../identity/access/permissions.ts';
import { makeMachineClient, type NewMachineClient } from '../identity/machine-clients/machine-clients.ts';
import { hashPassword } from '../identity/passwords/passwords.ts';
import { SIGN_IN } from '../identity/sign-in/sign-in-purpose.ts';
import { asCompanies, runAsPurpose } from '../platform/database/scope.ts';
import { newId } from '../platform/ids.ts';
import type { SandboxToSeed, SeededSandbox } from '../sandbox/sandbox-seed.ts';
import { billSandbox } from './billing/bill.ts';
import { makeChainLinks } from './billing/chain-links.ts';
import { makeDemoDays } from './days.ts';
import { type DemoCompany, makeDemoCompany } from './demo-company.ts';
import { makeDemoWork } from './demo-work.ts';
import { sendDemoImports } from './imports.ts';
import { LOGIN_ROLES } from './people.ts';
import { writeDemoProof } from './proof.ts';
import { makeDemoTickets } from './tickets.ts';
import { visitsOf } from './visits.ts';

/** The contents of `.data/demo.json`, which are also printed to a terminal. */
export interface DemoAccess {
  base_url: string;
  company_id: string;
  client_id: string;
  client_secret: string;
  users: { email: string; password: string; role: string }[];
}

/**
 * Creates the demo company in an empty database and returns its logins; undefined if there are companies already. Everything is one
 * transaction, so that a first start which is interrupted leaves nothing behind.
 */
export async function seedDemo(root: EntityManager, now = new Date()): Promise<Omit<DemoAccess, 'base_url'> | undefined> {
  return root.fork({ clear: true }).transactional(async (em) => {
    await em.execute("select pg_advisory_xact_lock(hashtext('haulgate:demo'))");
    if (await runAsPurpose(SIGN_IN, () => em.count(Company, {}, { filters: { tenant: false } }))) return undefined;
    const demo = makeDemoCompany(em);
    return asCompanies(
      [demo.parent, ...demo.children].map(({ id }) => id),
      async () => {
        const { users, client, clientSecret } = await fill(em, demo, now, {
          roles: LOGIN_ROLES,
          name: 'Demo integration',
          permissions: PERMISSIONS,
        });
        return { company_id: demo.parent.id, client_id: client.clientId, client_secret: clientSecret, users };
      },
    );
  });
}

/** The permissions of an administrator; that to act as others is a matter of the platform. */
const OF_ADMINISTRATORS = PERMISSIONS.filter((permission) => grantsOf(['company_admin']).has(permission));

/** Fills a sandbox with the work of the demo, in the transaction of `em` and the scope of its companies; some of it is billed. */
export async function seedSandbox(em: EntityManager, { name, now, ...rest }: SandboxToSeed): Promise<SeededSandbox> {
  const { companyIds, platformIds, domain, phones } = rest;
  const demo = makeDemoCompany(em, {
    ...{ companyIds, platformIds, domain, platformAdmin: false },
    names: { parent: name, north: `${name} North`, south: `${name} South` },
    phone: (number) => `${phones}${number.slice(-2)}`,
  });
  const logins = { roles: ['company_admin'], name: 'Sandbox', permissions: OF_ADMINISTRATORS } as const;
  const { users, client, clientSecret } = await fill(em, demo, now, logins);
  await billSandbox(em, companyIds, now);
  const { email, password } = users[0]!;
  return { administrator: email, password, clientId: client.clientId, clientSecret };
}

/** The people who get a password, and the machine client. */
interface Logins extends NewMachineClient {
  roles: readonly Role[];
}

/** Creates everything below the companies. @returns the logins */
async function fill(em: EntityManager, demo: DemoCompany, now: Date, { roles, name, permissions }: Logins) {
  const numbers = makeDemoWork(em, demo, now);
  const days = makeDemoDays(em, demo, numbers.worked, now);
  const proof = await makeDemoTickets(em, demo, numbers);
  makeChainLinks(em, demo, numbers.chained);
  // Credentials refer to their user by id only, and crossings to their load, so these are written first.
  await em.flush();
  em.persist(numbers.positions);
  em.persist([...numbers.worked, ...numbers.chained].flatMap(visitsOf));
  days.begin();
  const users = [];
  for (const role of roles) {
    const user = demo.users.find((one) => one.roles.includes(role))!;
    const password = randomBytes(9).toString('base64url');
    const hash = await hashPassword(password);
    await runAsPurpose(SIGN_IN, () =>
      em.execute('insert into credential (id, user_id, password_hash) values (?, ?, ?)', [newId(), user.id, hash]),
    );
    users.push({ email: user.email!, password, role });
  }
  const { client, clientSecret } = makeMachineClient(em, demo.parent, { name, permissions });
  await em.flush();
  for (const [kind, value] of [
    ['order', numbers.orders],
    ['project', numbers.projects],
    ['driver_day', days.count],
  ] as const) {
    await em.execute('insert into company_counter (company_id, kind, value) values (?, ?, ?)', [demo.parent.id, kind, value]);
  }
  await writeDemoProof(em, demo, numbers.worked, proof, now);
  await sendDemoImports(em, demo, client, now);
  return { users, client, clientSecret };
}

/**
 * Writes the access file next to the data, readable by its owner only. It is created on the first start; later starts renew its address.
 * @returns its contents; undefined if there is no demo
 */
export function keepDemoAccess(file: string, baseUrl: string, made: Omit<DemoAccess, 'base_url'> | undefined): DemoAccess | undefined {
  const known = made ?? readDemoAccess(file);
  if (!known) return undefined;
  const access = { ...known, base_url: baseUrl };
  mkdirSync(dirname(file), { recursive: true });
  // Whole or as before: another process that starts may read it, and a full disk must not end all starts to come. A new file has its mode, too.
  const part = `${file}.${newId()}`;
  try {
    writeFileSync(part, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600 });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  return access;
}

function readDemoAccess(file: string): DemoAccess | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoAccess) : undefined;
}
