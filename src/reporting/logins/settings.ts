import { provided } from '../../platform/application.ts';

/** Where BI tools reach PostgreSQL; undefined where only who runs the installation knows it. */
export const reportingAddress = provided<{ host: string; port: number } | undefined>('address of PostgreSQL for BI tools');
/** Whether logins are made although they could fill the disk, because PostgreSQL belongs to somebody who lets nobody take that from them. */
export const reportingTrusted = provided<boolean>('trust in logins for BI tools');
