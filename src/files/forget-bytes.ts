import { afterCommit, type TxContext } from '../platform/commands/transact.ts';
import { fileStorage } from '../platform/storage/storage.ts';

/** Removes stored bytes once the transaction that forgets them is committed. What stays when the storage is away is an orphan, which the sweeper removes. */
export function forgetBytes(tx: TxContext, ...keys: (string | null | undefined)[]): void {
  afterCommit(tx, () => {
    for (const key of keys)
      if (key)
        void fileStorage
          .of(tx.em)
          .remove(key)
          .catch((error) => tx.report?.(error));
  });
}
