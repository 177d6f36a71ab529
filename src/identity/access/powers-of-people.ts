import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { beyondRole, without } from './powers.ts';
import type { IdentifiedViewer } from './viewer.ts';

/** The roles and toggles of a person. */
interface Given {
  roles: readonly string[];
  toggles: readonly string[];
  /** Of roles that their company defines, or of a machine client. */
  permissions: readonly string[];
}

const EVERYBODY = `select distinct u.roles::text[] as roles, c.permission_toggles as toggles, array(
    select distinct g from iam_role r, unnest(r.grants) g where r.id = any(u.custom_role_ids) and r.company_id = u.company_id order by g) as permissions
  from app_user u join company c on c.id = u.company_id
  where u.company_id = any($1::uuid[]) and u.discarded_at is null`;
/** Without platform administrators: they act in every company, and no company's provider signs them in. */
const PEOPLE = `${EVERYBODY} and not 'platform_admin' = any(u.roles)`;
const CLIENTS = `select distinct '{}'::text[] as roles, '{}'::text[] as toggles, m.permissions from machine_client m
  where m.company_id = any($1::uuid[]) and m.discarded_at is null`;

/**
 * The permissions of the people of these companies that the caller neither has nor may give to people whom they hire, as when roles are
 * given.
 */
export const beyondOfPeople = async (ctx: Context, companyIds: readonly string[]): Promise<string[]> =>
  beyondOf(ctx, await queryOf<Given>(ctx, PEOPLE, [companyIds]));

/** The same, also of those who run the platform. */
export const beyondOfEverybody = async (ctx: Context, companyIds: readonly string[]): Promise<string[]> =>
  beyondOf(ctx, await queryOf<Given>(ctx, EVERYBODY, [companyIds]));

/** The same of people and machine clients. */
export const beyondOfAll = async (ctx: Context, companyIds: readonly string[]): Promise<string[]> =>
  beyondOf(ctx, await queryOf<Given>(ctx, `${PEOPLE} union ${CLIENTS}`, [companyIds]));

/** The permissions of a company administrator that the caller lacks: every company has an administrator, or will have one. */
export const beyondOfAdministrators = (ctx: Context): string[] =>
  beyondOf(ctx, [{ roles: ['company_admin'], toggles: [], permissions: [] }]);

function beyondOf(ctx: Context, given: readonly Given[]): string[] {
  const viewer = viewerOf(ctx) as IdentifiedViewer;
  if (viewer.type === 'System') return [];
  const lacks = given.flatMap(({ roles, toggles, permissions }) => [
    ...roles.flatMap((role) => beyondRole(viewer, role, toggles)),
    ...without(viewer, permissions),
  ]);
  return [...new Set(lacks)];
}

const BELOW = `with recursive below (id) as (
    select $1::uuid union select c.id from company c join below b on c.parent_company_id = b.id)
  select c.id from below b join company c on c.id = b.id where c.discarded_at is null order by c.id`;

/** A company and every company below it. */
export const withThoseBelow = async (ctx: Context, companyId: string): Promise<string[]> =>
  (await queryOf<{ id: string }>(ctx, BELOW, [companyId])).map(({ id }) => id);

const ABOVE = `with recursive above (id, parent) as (
    select id, parent_company_id from company where id = $1
    union select c.id, c.parent_company_id from company c join above a on c.id = a.parent)
  select id from above`;

/** A company and every company above it that the caller sees: those above the caller's own company are above everything that they see. */
export const withThoseAbove = async (ctx: Context, companyId: string): Promise<string[]> =>
  (await queryOf<{ id: string }>(ctx, ABOVE, [companyId])).map(({ id }) => id);
