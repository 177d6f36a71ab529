import { ofOrderAtSites } from '../dispatch/access/at-sites.ts';
import { ofJobOfPerson, ofLedOrder } from '../dispatch/access/own-work.sql.ts';
import { defineAttachable } from '../files/attachable.ts';
import { defineAccess } from '../platform/read/access.ts';
import { RECORD_FIELDS } from '../platform/read/partner-fields.ts';
import { Ticket } from './ticket.entity.ts';

export const ticketAccess = defineAccess(Ticket, {
  // A ticket that nobody has matched with an order is at no site.
  sites: (t, p) => ofOrderAtSites(`${t}.order_id`, p),
  // A ticket that is not matched with a job is read with its order, by people who lead that order.
  ownRecords: (t, p) => `case when ${t}.job_id is null then ${ofLedOrder(`${t}.order_id`, p)} else ${ofJobOfPerson(`${t}.job_id`, p)} end`,
  // The proof by which the vendor is paid: the ticket, and not how the owner reads, doubts and names it.
  partnerFields: {
    passed: [
      ...RECORD_FIELDS,
      'company',
      'order',
      'job',
      'load',
      'orderId',
      'jobId',
      'loadId',
      'friendlyJobId',
      'state',
      'source',
      'ticketNumber',
    ]
      .concat(['quantity', 'grossQuantity', 'tareQuantity', 'weighedBy', 'acceptance', 'wastedQuantity'])
      .concat(['unitOfMeasure', 'serviceDate', 'printedAt', 'material', 'materialName', 'site', 'equipment', 'equipmentName'])
      .concat([
        'driverName',
        'customerName',
        'projectName',
        'dispatchNumberName',
        'pickupSiteName',
        'dropoffSiteName',
        'voidedAt',
        'version',
      ])
      .concat(['foreignImageUrl', 'imageId', 'imageName', 'imageMimeType', 'imageUrl', 'previewId', 'previewMimeType', 'previewUrl'])
      .concat(['missingInfo', 'stateEvents', 'foundTwice']),
    kept: [
      'account',
      'amendments',
      'originalQuantity',
      'originalGrossQuantity',
      'originalTareQuantity',
      'supplierName',
      'runningTotal',
      'notes',
      'flagged',
      'vendorName',
      'imageSize',
      'previewSize',
      'previewDueAt',
      'previewAttempts',
      'replacedQuantity',
    ]
      .concat(['replacedUnitOfMeasure', 'ocrTicketNumber', 'ocrTicketNumberConfidence', 'ocrNetQuantityTon', 'ocrNetQuantityTonConfidence'])
      .concat(['ocrServiceDate', 'ocrServiceDateRawStr', 'ocrProcessed', 'aiProcessed', 'aiExtractedFullText', 'aiStructuredData'])
      .concat(['aiConfidenceScore', 'externalTruckId', 'externalVendorName', 'externalMaterialMaterialName', 'externalNetWeight'])
      .concat(['externalNetWeightUnit', 'externalTicketNumber']),
    instead: { flagged: false, ocrProcessed: false, aiProcessed: false },
  },
});

/** People read the files of tickets of their jobs, and of those at their sites. */
export const ticketFiles = defineAttachable('Ticket', {
  entity: Ticket,
  atSites: (id, p) => `exists (select 1 from ticket sf where sf.id = ${id} and ${ofOrderAtSites('sf.order_id', p)})`,
  ofPerson: (id, p) => `exists (select 1 from ticket pf where pf.id = ${id} and ${ofJobOfPerson('pf.job_id', p)})`,
});
