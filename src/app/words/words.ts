import { sentenceOf } from '../../ingest/code-sentences.ts';
import { ImportWarningCode } from '../../ingest/warning-codes.ts';
import { type Words, wordsOf } from '../../platform/graphql/describe.ts';
import { ARGUMENTS, ROOTS } from './arguments.ts';
import { BILLING_ARGUMENTS, BILLING_FIELDS, BILLING_TYPES, BILLING_VALUES } from './billing.ts';
import { EVENTS_FIELDS, EVENTS_TYPES, EVENTS_VALUES, recordTypeSentences } from './events.ts';
import { FIELDS_A_TO_D } from './fields-a.ts';
import { FIELDS_E_TO_M } from './fields-e.ts';
import { FIELDS_N_TO_Z } from './fields-n.ts';
import { MERGING_ARGUMENTS, MERGING_FIELDS, MERGING_TYPES, MERGING_VALUES } from './merging.ts';
import { PROOF_ARGUMENTS, PROOF_FIELDS, PROOF_VALUES } from './proof.ts';
import { metricSentences, REPORTING_FIELDS, REPORTING_TYPES, REPORTING_VALUES } from './reporting.ts';
import { SETTLEMENT_ARGUMENTS, SETTLEMENT_FIELDS, SETTLEMENT_TYPES, SETTLEMENT_VALUES } from './settlements.ts';
import { TELEMATICS_VALUES } from './telematics.ts';
import { TYPES } from './types.ts';
import { VALUES } from './values.ts';
import { VALUES_OF_FIELDS } from './values-of-fields.ts';
import { VALUES_OF_LOG } from './values-of-log.ts';
import { VALUES_OF_WORK } from './values-of-work.ts';

/**
 * The descriptions of the schema that no declaration has of its own. A name has one meaning wherever it is (docs/glossary.md), so that it is
 * described once. `npm run schema` fails for an element without a description.
 */
export const WORDS: Words = {
  types: wordsOf(TYPES, BILLING_TYPES, SETTLEMENT_TYPES, EVENTS_TYPES, REPORTING_TYPES, MERGING_TYPES),
  roots: wordsOf(ROOTS),
  fields: wordsOf(
    FIELDS_A_TO_D,
    FIELDS_E_TO_M,
    FIELDS_N_TO_Z,
    PROOF_FIELDS,
    BILLING_FIELDS,
    SETTLEMENT_FIELDS,
    EVENTS_FIELDS,
    REPORTING_FIELDS,
    MERGING_FIELDS,
  ),
  arguments: wordsOf(ARGUMENTS, PROOF_ARGUMENTS, BILLING_ARGUMENTS, SETTLEMENT_ARGUMENTS, MERGING_ARGUMENTS),
  values: new Map([
    ...wordsOf(
      VALUES,
      VALUES_OF_FIELDS,
      VALUES_OF_LOG,
      VALUES_OF_WORK,
      PROOF_VALUES,
      TELEMATICS_VALUES,
      BILLING_VALUES,
      SETTLEMENT_VALUES,
      EVENTS_VALUES,
      REPORTING_VALUES,
      MERGING_VALUES,
    ),
    ...warningSentences(),
    ...metricSentences(),
    ...recordTypeSentences(),
  ]),
};

/** The meanings of warnings of imports, as the console explains them. */
function warningSentences(): [string, string][] {
  return Object.keys(ImportWarningCode).map((code) => [`ImportWarningCode.${code}`, sentenceOf(code)!]);
}
