import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { owningCompany } from '../../directory/companies/owning-company.ts';
import { createMaster } from '../../directory/master-data/master-data.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { accounts } from '../../partners/accounts/accounts.ts';
import { allow, resolveReferences } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { collectUnitMismatches, unitsOfProject } from '../conflicts/unit-mismatches.ts';
import { collectUnusable } from '../fields/field-table.ts';
import { nextNumbers } from '../fields/numbers.ts';
import { dispatchNumberNamed, makeRoute, syncContact, syncContacts } from '../fields/order-parts.ts';
import { Project } from '../model/project.entity.ts';
import { syncPhases } from '../orders/order-phases.ts';
import type { CreateProjectInput } from './project.inputs.ts';
import { applyProjectFields, resolveProjectReferences } from './project-fields.ts';
import { syncProjectMaterials } from './project-materials.ts';
import { projectIdOf } from './write-projects.ts';

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
    project.routeId = makeRoute(tx.em, owner, input.waypoints ?? [], sites, to);
    await syncContacts(tx, project, owner, input, to);
    await syncContact(tx, project, 'contact', owner, input.contact, to);
    await syncPhases(tx, { projectId: project.id, companyId: owner }, input.phases ?? [], to);
    await syncProjectMaterials(tx, project, input.projectMaterialTotals ?? [], to);
    await collectUnitMismatches(tx, unitsOfProject(project), { model: 'Project', input }, items);
    if (items.length > 0) throw new Invalid(items);
    if (input.dispatchNumber) project.dispatchNumber = ref(await dispatchNumberNamed(tx, owner, input.dispatchNumber.name));
    project.number = await nextNumbers(tx.em, owner, 'project', 1);
    project.projectId = projectIdOf(project.number);
    tx.em.persist(project);
    emitEvent(tx, 'project.created', project);
    return project;
  });
}

/** Returns the customer that the body describes instead of naming one. @throws Denied without `create_account` */
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
