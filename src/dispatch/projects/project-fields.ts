import { EquipmentType } from '../../directory/equipment/equipment-type.entity.ts';
import { Department, Service, ServiceClass } from '../../directory/master-data/named.entities.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import type { ReferenceSpec } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { foldText } from '../../platform/fold.ts';
import { applyFields, type FieldTable, type References, resolveFields } from '../fields/field-table.ts';
import { PROJECT_FIELDS, requestFieldsOf, type WorkField } from '../fields/work-fields.ts';
import type { Project } from '../model/project.entity.ts';
import { applyWages } from '../pricing/wages.ts';
import type { CreateProjectInput, UpdateProjectInput } from './project.inputs.ts';
import { datesOutOfOrder } from './project.messages.ts';

export const projectExternalIdKey = defineUnique('project_external_id_key', { model: 'Project', field: 'externalId' });

type Fields = CreateProjectInput | UpdateProjectInput;

// Every field of the table is one of the input, too.
PROJECT_FIELDS satisfies Partial<Record<keyof UpdateProjectInput, WorkField>>;

const PROJECT: FieldTable = {
  ...requestFieldsOf(PROJECT_FIELDS),
  relations: {
    siteId: [Site, 'site'],
    serviceId: [Service, 'service'],
    serviceClassId: [ServiceClass, 'serviceClass'],
    departmentId: [Department, 'department'],
    equipmentTypeId: [EquipmentType, 'equipmentType'],
    requesterId: [User, 'requester'],
    customerRateId: [Rate, 'customerRate'],
    vendorRateId: [Rate, 'vendorRate'],
    driverRateId: [Rate, 'driverRate'],
  },
};

/**
 * Resolves everything that a project's input refers to, among the records that the project's company sees. Unknown ids become errors of
 * their fields.
 */
export const resolveProjectReferences = (
  tx: TxContext,
  input: object,
  companyId: string,
  to: ErrorCollector,
  more?: Record<string, ReferenceSpec>,
): Promise<References> => resolveFields(tx, input, PROJECT, companyId, to, { more });

/** Copies the input onto the project, whose customer is known; absent fields keep their values. */
export async function applyProjectFields(
  tx: TxContext,
  project: Project,
  input: Fields,
  referred: References,
  to: ErrorCollector,
): Promise<void> {
  applyFields(project, input, PROJECT, referred, to, { customer: project.account });
  if (input.name !== undefined) {
    const name = input.name?.trim();
    if (name) project.name = name;
    else to.items.push({ model: to.model, field: 'name', key: 'required' });
  }
  applyWages(project, input, to);
  if (input.externalId !== undefined) project.externalId = input.externalId?.trim() || null;
  const { effectiveAt: from, expiresAt: until } = project;
  // SPEC: strictly before. An older violation is reported only when one of the two dates is changed.
  if (from && until && from >= until && (input.effectiveAt || input.expiresAt)) {
    const given = input.expiresAt ? 'expires' : 'effective';
    to.items.push({ model: to.model, field: `${given}At`, ...datesOutOfOrder(given, from, until) });
  }
  if (input.name || input.externalId) await collectTaken(tx, project, to);
}

/** Prevents two concurrent requests of a company from creating two projects of one name; held to the end of the transaction. */
export const LOCK_PROJECT_NAMES = `select pg_advisory_xact_lock(hashtextextended('haulgate:project-names:' || $1, 0))`;

/** A name (without regard to case and outer blanks) and an external id belong to one project of the company (SPEC "POST /ingest/projects"). */
async function collectTaken(tx: TxContext, { id, company, name, externalId }: Project, to: ErrorCollector): Promise<void> {
  await queryIn(tx.em, LOCK_PROJECT_NAMES, [company.id]);
  const [taken] = await queryIn<{ name: boolean; external: boolean }>(
    tx.em,
    `select coalesce(bool_or(match_name = $3), false) as name, coalesce(bool_or(external_id = $4), false) as external
     from project where company_id = $1 and id <> $2 and discarded_at is null and (match_name = $3 or external_id = $4)`,
    [company.id, id, foldText(name ?? ''), externalId ?? null],
  );
  if (taken?.name) to.items.push({ model: to.model, field: 'name', key: 'taken' });
  if (taken?.external) to.items.push({ model: to.model, field: 'externalId', key: 'taken' });
}
