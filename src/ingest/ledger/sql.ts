export { poolOf, queryIn } from '../../platform/database/sql.ts';
