import { Account } from '../../directory/accounts/account.entity.ts';
import { isConnected, lockPair } from '../../directory/accounts/connections.ts';
import { SHARES } from '../../directory/shares/shares-purpose.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { actOnBehalfOf, runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { endSharesOf } from '../shares/company-shares.ts';

/**
 * Ends what the connection of an account allowed, when the account is discarded: shares in both directions, and managing. The other side
 * keeps its account as its own record of us. Shares within a family stay, because they need no connection.
 */
export async function endConnection(tx: TxContext, account: Account): Promise<void> {
  if (!account.connectedCompany) return;
  const [own, other] = [account.company.id, account.connectedCompany.id];
  await lockPair(tx, own, other);
  // Connected again, with six digits and without being asked, nobody is managed who had ended it.
  endManaging(tx, account);
  actOnBehalfOf(other);
  const theirs = await tx.em.findOne(Account, { company: other, connectedCompany: own }, { filters: { tenant: false } });
  if (theirs) {
    endManaging(tx, theirs);
    emitEvent(tx, 'account.disconnected', theirs, { connected_company_id: own });
  }
  if (!(await ofOneFamily(tx, own, other))) await endSharesOf(tx, own, other);
}

function endManaging(tx: TxContext, account: Account): void {
  if (account.managed) account.managedUntil = tx.tx.now;
  account.managed = false;
}

/** Ends shares that a company and those below it have with others who are neither connected to them nor of their family any more. */
export async function endSharesOfStrangers(tx: TxContext, companyId: string): Promise<void> {
  const crossing = await runAsPurpose(SHARES, () =>
    queryIn<{ sender: string; receiver: string }>(
      tx.em,
      `with recursive below (id) as (select $1::uuid union select c.id from company c join below b on c.parent_company_id = b.id)
      select distinct s.sender_company_id as sender, s.receiver_company_id as receiver from company_share s
      where (s.sender_company_id in (select id from below)) <> (s.receiver_company_id in (select id from below))
        and not exists (select 1 from account a where a.company_id = s.sender_company_id and a.connected_company_id = s.receiver_company_id
          and ${isConnected('a')})
      order by 1, 2`,
      [companyId],
    ),
  );
  for (const { sender, receiver } of crossing) if (!(await ofOneFamily(tx, sender, receiver))) await endSharesOf(tx, sender, receiver);
}

/** Whether two companies have a company above them both, or one is above the other. */
async function ofOneFamily(tx: TxContext, one: string, other: string): Promise<boolean> {
  const above = (company: string) =>
    `select id, parent_company_id from company where id = ${company} union select c.id, c.parent_company_id from company c`;
  const [row] = await runAsPurpose(SHARES, () =>
    queryIn<{ family: boolean }>(
      tx.em,
      `with recursive
        ones as (${above('$1')} join ones b on c.id = b.parent_company_id),
        others as (${above('$2')} join others b on c.id = b.parent_company_id)
      select exists (select 1 from ones join others using (id)) as family`,
      [one, other],
    ),
  );
  return row!.family;
}
