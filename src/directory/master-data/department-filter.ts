import { Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { FilterSpec } from '../../platform/read/grammar.ts';

/** Department ids, or `none` for records without one (SPEC). */
export const departments: FilterSpec = {
  sql: (t, p) => `(${t}.department_id::text = any(${p}) or ('none' = any(${p}) and ${t}.department_id is null))`,
  cast: 'text[]',
  value: (given) => {
    if ((given as string[]).every((one) => one === 'none' || isUuid(one))) return given;
    throw new Invalid([{ model: 'Department', field: 'filter.departmentIds', key: 'not_a_uuid' }]);
  },
};
