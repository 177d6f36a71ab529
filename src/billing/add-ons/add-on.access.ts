import { masked } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { AddOn } from './add-on.entity.ts';

export const addOnAccess = defineAccess(AddOn, {
  masks: [
    [masked('view_customer_rates'), 'revenueRateValue', 'percentage', 'rate'],
    [masked('view_vendor_rates'), 'costRateValue'],
  ],
});
