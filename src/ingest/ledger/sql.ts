export { bound, poolOf, queryIn } from '../../platform/database/sql.ts';
