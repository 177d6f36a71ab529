import { ask } from './request.ts';

export interface Family {
  /** `sandboxDay` is which day it is in a sandbox; of real companies it is absent. */
  companies: { id: string; legalName: string; timeZone: string; sandboxDay?: number }[];
}

/** The person who is signed in, and what they may do with the records of others. */
export interface Somebody {
  name: string;
  company: string;
  /** Sees the imports. */
  imports: boolean;
  /** Links tickets to loads, and corrects them. */
  links: boolean;
  /** Approves loads or days, or corrects tickets. */
  reviews: boolean;
  /** Plans work, and so sees where trucks are. */
  dispatches: boolean;
  /** Reads settlements of the company, and not only what they are paid. */
  bills: boolean;
  /** Reads the reports of the company. */
  reports: boolean;
  /** Says to whom the company sends what happens. */
  informs: boolean;
}

export async function readMyself(): Promise<Somebody> {
  const { me, myPermissions, company } = await ask<{
    me: { firstName: string; lastName: string };
    myPermissions: { name: string; own: boolean }[];
    company: { legalName: string };
  }>('{ me { firstName lastName } myPermissions { name own } company { legalName } }');
  const may = (...names: string[]) => myPermissions.some(({ name, own }) => names.includes(name) && !own);
  return {
    name: `${me.firstName} ${me.lastName}`.trim(),
    company: company.legalName,
    imports: may('view_imports'),
    links: may('edit_ticket'),
    reviews: may('edit_ticket', 'approve_load', 'approve_driver_day', 'edit_job'),
    dispatches: may('assign_job'),
    bills: may('view_settlements'),
    reports: may('view_report'),
    informs: may('manage_webhooks'),
  };
}

/** Returns the companies that the person may see, their own first. */
export async function readFamily(): Promise<Family['companies']> {
  const { own, companies, sandbox } = await ask<{
    own: Family['companies'][0];
    companies: { nodes: Family['companies'] };
    sandbox: { day: number } | null;
  }>(
    '{ own: company { id legalName timeZone } companies(first: 100) { nodes { id legalName timeZone } } sandbox: currentSandbox { day } }',
  );
  return [{ ...own, sandboxDay: sandbox?.day }, ...companies.nodes.filter(({ id }) => id !== own.id)];
}
