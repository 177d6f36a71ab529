import { defineSorts } from '../../platform/read/grammar.ts';
import { BillingPeriod } from './billing-period.entity.ts';

export const billingPeriodSorts = defineSorts(BillingPeriod, { endsOn: { sql: (t) => `${t}.ends_on`, cast: 'date' } });
