import { masked, openSite } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { RECORD_FIELDS, substituteId } from '../../platform/read/partner-fields.ts';
import { Project } from '../model/project.entity.ts';
import { projectOfPerson } from './own-work.sql.ts';
import { CREW_KEPT, CREW_PASSED, HAUL_FIELDS, NO_TAX, TAX, TERMS_MASKS } from './work-terms-fields.ts';

export const projectAccess = defineAccess(Project, {
  ownRecords: projectOfPerson,
  masks: [...TERMS_MASKS, [openSite(), 'site'], [masked('view_driver_rates'), 'wages']],
  partnerFields: {
    // The PO number is shown at the gate.
    passed: [...RECORD_FIELDS, 'company', 'companyId', 'projectId', 'name', 'account', 'poJobNumber', 'state', 'version', 'orders'],
    kept: [...CREW_PASSED, ...CREW_KEPT, ...TAX, ...HAUL_FIELDS, 'externalId', 'notes', 'orderNotes', 'jobNotes', 'department', 'requester']
      .concat(['number', 'effectiveAt', 'expiresAt', 'startsOn', 'endsOn', 'contact', 'site', 'equipmentType', 'dispatchNumber'])
      .concat([
        'orderQuantity',
        'prevailingWage',
        'wages',
        'orderUnitOfMeasure',
        'routeId',
        'waypoints',
        'phases',
        'projectMaterialTotals',
        'customerId',
        'discardedAt',
      ]),
    instead: {
      ...NO_TAX,
      prevailingWage: false,
      recurringLoads: false,
      chaseMissingTickets: false,
      defaultDigitalTicketView: false,
      customerId: substituteId,
    },
  },
});
