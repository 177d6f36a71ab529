import { of, type Row } from './expectation.ts';

/** The permissions of the root fields of src/reporting. Measures take further ones, each its own. */
export const REPORTING: Row[] = [...of(undefined, 'company', 'metrics', 'metricDefinitions')];
