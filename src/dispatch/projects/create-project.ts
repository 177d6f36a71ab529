import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { owningCompany } from '../../directory/companies/owning-company.ts';
import { createMaster } from '../../directory/master-data/master-data.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { accounts } from '../../partners/accounts/accounts.ts';
import { allow } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { newRowOf } from '../../platform/commands/audit.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { collectUnitMismatches, unitsOfProject } from '../checks/unit-mismatches.ts';
import { collectUnusable } from '../fields/field-table.ts';
import { type NewParts, newContacts, newPhases, newStops } from '../fields/new-parts.ts';
import { nextNumbers } from '../fields/numbers.ts';
import { CONTACTS, dispatchNumberNamed } from '../fields/order-parts.ts';
import { type MaterialRow, writeMaterials } from '../fields/write-parts.ts';
import { Project, type ProjectMaterial } from '../model/project.entity.ts';
import type { CreateProjectInput } from './project.inputs.ts';
import { applyProjectFields, resolveProjectReferences } from './project-fields.ts';
import { syncProjectMaterials } from './project-materials.ts';
import { createProjects, projectIdOf } from './write-projects.ts';

/**
 * Creates a project with its phases, materials and stops (SPEC "Projects").
 * @throws Denied, Invalid with every wrong field at once
 */
export function createProject(ctx: Context, input: CreateProjectInput): Promise<Project> {
  return transact(ctx, async (tx) => {
    allow(tx, 'create_project');
    const owner = owningCompany(tx, 'Project', input);
    const items: ErrorItem[] = [];
    const to: ErrorCollector = { model: 'Project', items };
    const referred = await resolveProjectReferences(tx, input, owner, to, { account: [Account, 'accountId'] });
    // Sites that other companies share are allowed, too.
    const shared = { model: to.model, companyId: owner, items, shared: true };
    const { sites } = await resolveReferences(tx, input, { sites: [Site, 'waypoints.*.siteId'] }, shared);
    const project = Object.assign(new Project(), { company: ref(Company, owner), foremanIds: [], collaboratorIds: [], salespersonIds: [] });
    const account = input.account ? await customerMade(tx, input, owner, to) : (referred.account as Account | null | undefined);
    if (!input.account && !input.accountId) items.push({ model: to.model, field: 'accountId', key: 'required' });
    if (account) {
      const field = input.account ? 'account.accountTypes' : 'accountId';
      collectUnusable(account, field, to);
      if (!account.accountTypes.includes('customer')) items.push({ model: to.model, field, key: 'not_a_customer' });
      project.account = ref(account);
    }
    await applyProjectFields(tx, project, input, referred, to);
    const route = newStops(input.waypoints ?? [], sites, to);
    project.routeId = route.routeId;
    const contacts = newContacts(project, [...CONTACTS, 'contact'], input, to);
    const phases = newPhases(input.phases ?? [], to);
    const { made: materials } = await syncProjectMaterials(tx, project, input.projectMaterialTotals ?? [], to);
    await collectUnitMismatches(tx, unitsOfProject(project), { model: 'Project', input }, items);
    if (items.length > 0) throw new Invalid(items);
    if (input.dispatchNumber) project.dispatchNumber = ref(await dispatchNumberNamed(tx, owner, input.dispatchNumber.name));
    const parts = { contacts: [...contacts, ...route.contacts], stops: route.stops, phases };
    await writeProject(tx, project, parts, materials);
    return project;
  });
}

/** Writes a person's new project under the next number of its company, with the command that also writes imported projects. */
async function writeProject(tx: TxContext, project: Project, parts: NewParts, materials: readonly ProjectMaterial[]): Promise<void> {
  const companyId = project.company.id;
  project.number = await nextNumbers(tx.em, companyId, 'project', 1);
  project.projectId = projectIdOf(project.number);
  project.createdAt = project.updatedAt = tx.tx.now;
  // The project's row refers to that of its customer, which may be new.
  await tx.em.flush();
  await createProjects(setTxOf(tx), companyId, [{ id: project.id, records: tx.tx, ...newRowOf(tx.em, project), ...parts }]);
  await writeMaterials(setTxOf(tx), companyId, { added: materials.map(materialRowOf), changed: [] });
  tx.em.merge(Project, project, { cascade: false });
}

const materialRowOf = ({ id, projectId, material, totalQuantity, unitOfMeasure }: ProjectMaterial): MaterialRow => ({
  ...{ id, project_id: projectId, material_id: material.id },
  ...{ total_quantity: totalQuantity?.toString() ?? null, unit_of_measure: unitOfMeasure ?? null },
});

/** The customer that the body describes instead of naming one. @throws Denied without `create_account` */
async function customerMade(tx: TxContext, input: CreateProjectInput, owner: string, to: ErrorCollector): Promise<Account | null> {
  if (input.accountId) to.items.push({ model: to.model, field: 'account', key: 'one_account' });
  try {
    return await createMaster(tx, accounts, input.account!, owner);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    to.items.push(...error.items.map((item) => ({ ...item, field: `account.${item.field}` })));
    return null;
  }
}
