import type { TxContext } from '../../../platform/commands/transact.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { PUSHING } from '../sources/systems.ts';

// Systems that exchange files take nothing by themselves.
const LINKED = `select from linked_account where company_id = $1 and status = 'linked' and system = any($2::text[]) limit 1`;

/** Whether a company has linked a system to which its settlements are sent: then nobody notes by hand what accounting has. */
export const hasPushingSystem = async (tx: TxContext, companyId: string): Promise<boolean> =>
  (await queryIn(tx.em, LINKED, [companyId, PUSHING])).length > 0;
