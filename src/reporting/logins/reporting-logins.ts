import { randomBytes } from 'node:crypto';
import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { allow, companyOf, find, viewerOf } from '../../platform/authz/authorization.ts';
import { afterCommit, emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, Denied, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isSandbox } from '../../platform/worlds/sandbox-ids.ts';
import { MOST_LOGINS } from './login-limits.ts';
import { makeRole, openReportingLogin, watchReportingLogins } from './login-roles.ts';
import { LOGIN_PERMISSIONS, type LoginPermission, ReportingLogin } from './reporting-login.entity.ts';
import type { CreateReportingLoginInput } from './reporting-login.inputs.ts';

/** A login is a program's: whoever keeps machine clients keeps logins. */
export const KEEPS_LOGINS = 'manage_machine_clients';
const model = 'ReportingLogin';

export const reportingLoginUsernameKey = defineUnique('reporting_login_username_key', { model, field: 'username' });

/** A login with its password, which is shown once and kept by PostgreSQL alone. */
export interface MadeLogin {
  login: { id: string };
  password?: string;
}

/**
 * Makes a login to PostgreSQL that reads the views of a company, with permissions that the caller has.
 * @throws Denied, Missing, Invalid with every wrong field, Conflict if the company has too many, or the database lets nobody make such roles
 */
export async function createReportingLogin(ctx: Context, input: CreateReportingLoginInput, companyId?: string | null): Promise<MadeLogin> {
  const owner = companyOf(ctx, companyId);
  mayKeep(ctx);
  // Its role would outlive it.
  if (isSandbox(owner)) throw new Invalid([{ model, field: '', key: 'not_in_sandbox' }]);
  let password: string | undefined;
  const login = await transact(ctx, async (tx) => {
    const permissions = permissionsOf(tx, input);
    const company = await find(tx, Company, owner, { lock: true });
    await limit(tx, company.id);
    const login = Object.assign(new ReportingLogin(), {
      company: ref(Company, company.id),
      name: input.name.trim(),
      // Drawn at random, because everybody who is signed in sees the names of all roles.
      username: `haulgate_bi_${randomBytes(8).toString('hex')}`,
      permissions,
      passwordMadeAt: tx.tx.now,
    });
    await tx.em.persist(login).flush();
    password = await open(tx, login);
    emitEvent(tx, 'reporting_login.created', login);
    return login;
  });
  return { login, password };
}

/**
 * Gives a login another password. The old one opens no session any more, and those it opened end before the new one opens any. The caller learns the
 * password, and must therefore have all permissions of the login.
 * @throws Missing, Denied, Conflict for a revoked one, and for one of the database of which this one is a copy
 */
export async function renewReportingLogin(ctx: Context, path: RecordPath): Promise<MadeLogin> {
  let password: string | undefined;
  const login = await transact(ctx, async (tx) => {
    const login = await lockLogin(tx, path);
    if (login.revokedAt) throw new Conflict([{ model, field: '', key: 'reporting_login_revoked' }]);
    const lacking = login.permissions.find((permission) => !viewerOf(tx).can(permission));
    if (lacking) throw new Denied(lacking);
    login.passwordMadeAt = tx.tx.now;
    password = await open(tx, login);
    emitEvent(tx, 'reporting_login.renewed', login);
    return login;
  });
  // The answer has a password that works. If that fails, the next look of the watch opens it.
  await openReportingLogin(ctx.em, login.username).catch((error) => ctx.report?.(error));
  return { login, password };
}

/** Ends a login and its sessions; one that was revoked stays so. @throws Missing, Denied */
export function revokeReportingLogin(ctx: Context, path: RecordPath): Promise<ReportingLogin> {
  return transact(ctx, async (tx) => {
    const login = await lockLogin(tx, path);
    if (login.revokedAt) return login;
    login.revokedAt = tx.tx.now;
    emitEvent(tx, 'reporting_login.revoked', login);
    endSessions(tx);
    return login;
  });
}

async function lockLogin(tx: TxContext, { id, companyId }: RecordPath): Promise<ReportingLogin> {
  const login = await find(tx, ReportingLogin, id, { companyId, lock: true });
  mayKeep(tx);
  return login;
}

/** @throws Denied also for somebody who is limited to sites or to own records: a login is not */
function mayKeep(ctx: Context): void {
  const viewer = allow(ctx, KEEPS_LOGINS);
  if (viewer.siteIds || viewer.ownRecordsOnly) throw new Denied(KEEPS_LOGINS, 'permission_beyond_sites');
}

/** Waits for what others of the company make now, so that all are counted. */
async function limit(tx: TxContext, companyId: string): Promise<void> {
  const live = await queryIn(tx.em, 'select from reporting_login where company_id = $1 and revoked_at is null limit $2', [
    companyId,
    MOST_LOGINS,
  ]);
  if (live.length === MOST_LOGINS)
    throw new Conflict([{ model, field: '', key: 'too_many_reporting_logins', params: { max: MOST_LOGINS } }]);
}

/** @returns the password by which the login signs in from the commit on */
async function open(tx: TxContext, { id }: ReportingLogin): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  await makeRole(tx.em, id, password);
  return password;
}

/** The watch ends what this one misses. */
function endSessions(tx: TxContext): void {
  const { em } = tx;
  afterCommit(tx, () => void watchReportingLogins(em).catch(() => {}));
}

function permissionsOf(ctx: Context, { name, permissions }: CreateReportingLoginInput): LoginPermission[] {
  const viewer = viewerOf(ctx);
  const items: ErrorItem[] = [];
  if (name.trim() === '') items.push({ model, field: 'name', key: 'required' });
  const isOffered = (given: string): given is LoginPermission => (LOGIN_PERMISSIONS as readonly string[]).includes(given);
  for (const [at, given] of (permissions ?? []).entries()) {
    const field = `permissions.${at}`;
    if (!isOffered(given))
      items.push({ model, field, key: 'reporting_permission_unknown', params: { known: LOGIN_PERMISSIONS.join(', ') } });
    else if (!viewer.can(given)) items.push({ model, field, key: 'permission_you_lack' });
  }
  if (items.length > 0) throw new Invalid(items);
  return LOGIN_PERMISSIONS.filter((one) => permissions?.includes(one));
}
