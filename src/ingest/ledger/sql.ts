export { bound, poolOf, queryIn, queryOf } from '../../platform/database/sql.ts';
