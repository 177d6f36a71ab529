import { provided } from '../../platform/application.ts';

/** Where BI tools reach PostgreSQL; undefined where only who runs the installation knows it. */
export const reportingAddress = provided<{ host: string; port: number } | undefined>('address of PostgreSQL for BI tools');
