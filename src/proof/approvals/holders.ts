import { LockMode, ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Viewer } from '../../platform/context.ts';
import type { ApprovableType } from './approval-assignment.entity.ts';
import { ApprovalState } from './approval-state.entity.ts';
import type { Approvable } from './flags.ts';

/** In whose books an approval is: the owner's if the caller acts for it, otherwise those of the caller's company that has the link. */
export const booksOf = (viewer: Viewer, ownerId: string, linkedId: string): string =>
  viewer.companyIds.includes(ownerId) ? ownerId : linkedId;

/**
 * Returns where the approvals of records are kept, in one statement: in their own columns where the company owns them, otherwise in states of the
 * company, which are made by the first approval.
 * @param records locked
 */
export async function holdersOf<T extends Approvable>(
  tx: TxContext,
  approvableType: ApprovableType,
  records: readonly T[],
  books: (record: T) => string,
): Promise<Map<T, Approvable>> {
  const others = records.filter((record) => books(record) !== record.company.id);
  const states =
    others.length === 0
      ? []
      : await tx.em.find(
          ApprovalState,
          { approvableType, approvableId: { $in: others.map(({ id }) => id) }, company: { $in: [...new Set(others.map(books))] } },
          { filters: { tenant: false }, lockMode: LockMode.PESSIMISTIC_WRITE },
        );
  const known = new Map(states.map((state) => [`${state.approvableId} ${state.company.id}`, state]));
  return new Map(
    records.map((record): [T, Approvable] => {
      const companyId = books(record);
      if (companyId === record.company.id) return [record, record];
      const state = known.get(`${record.id} ${companyId}`);
      return [record, state ?? unapproved(approvableType, record.id, companyId)];
    }),
  );
}

/** A state without an approval. It is stored with the first one. */
const unapproved = (approvableType: ApprovableType, approvableId: string, companyId: string): ApprovalState =>
  Object.assign(new ApprovalState(), { approvableType, approvableId, company: ref(Company, companyId) });
