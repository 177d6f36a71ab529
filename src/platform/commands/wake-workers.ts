import { wakeTasks } from '../queue/tasks-waker.ts';
import { afterCommit, type TxContext } from './transact.ts';

/** Has workers look for due work as soon as the transaction is committed: for work whose result somebody waits for. Other work is found within a second. */
export const wakeWorkers = (tx: TxContext): void => afterCommit(tx, () => wakeTasks(tx.em));
