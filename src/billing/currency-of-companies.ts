import { Company } from '../directory/companies/company.entity.ts';
import type { UpdateCompanyInput } from '../directory/companies/company.inputs.ts';
import { defineInputPart } from '../platform/commands/input-parts.ts';
import { queryIn } from '../platform/database/sql.ts';

// Whoever sends back what they read changes nothing, and no invoice is looked for.
const LIVE = `select i.currency from company c join invoice i on i.company_id = c.id and i.state <> 'voided' where c.id = $1 and c.currency <> $2 limit 1`;

/** The books of a company are in one currency: it stays as long as there are invoices in it (BILLING B15). */
export const currencyOfCompanies = defineInputPart(Company, 'currency', async (tx, { id }, { currency }: UpdateCompanyInput, to) => {
  if (!currency) return;
  const [found] = await queryIn<{ currency: string }>(tx.em, LIVE, [id, currency]);
  if (found) to.items.push({ model: to.model, field: 'currency', key: 'currency_of_invoices', params: found });
});
