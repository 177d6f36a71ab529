import { Load } from '../dispatch/model/load.entity.ts';
import { definePartnerFields } from '../platform/read/partner-fields.ts';
import { Signature } from './signatures/signature.entity.ts';
import { Ticket } from './ticket.entity.ts';

const RECORD = ['id', 'createdAt', 'updatedAt'];

// The result of a review is for the owner to act on.
definePartnerFields(Load, { passed: ['ticket', 'deliveredQuantity', 'deliveredUnitOfMeasure'], kept: ['aiReview'] });

// The proof by which the vendor is paid: the ticket, and not how the owner reads, doubts and names it.
definePartnerFields(Ticket, {
  passed: [...RECORD, 'company', 'order', 'job', 'load', 'orderId', 'jobId', 'loadId', 'friendlyJobId', 'state', 'source', 'ticketNumber']
    .concat(['quantity', 'unitOfMeasure', 'serviceDate', 'printedAt', 'material', 'materialName', 'site', 'equipment', 'equipmentName'])
    .concat(['driverName', 'customerName', 'projectName', 'dispatchNumberName', 'pickupSiteName', 'dropoffSiteName', 'voidedAt', 'version'])
    .concat(['foreignImageUrl', 'imageId', 'imageName', 'imageMimeType', 'imageUrl', 'previewId', 'previewMimeType', 'previewUrl'])
    .concat(['missingInfo', 'stateEvents', 'foundTwice']),
  kept: ['account', 'notes', 'flagged', 'vendorName', 'imageSize', 'previewSize', 'previewDueAt', 'previewAttempts', 'replacedQuantity']
    .concat(['replacedUnitOfMeasure', 'ocrTicketNumber', 'ocrTicketNumberConfidence', 'ocrNetQuantityTon', 'ocrNetQuantityTonConfidence'])
    .concat(['ocrServiceDate', 'ocrServiceDateRawStr', 'ocrProcessed', 'aiProcessed', 'aiExtractedFullText', 'aiStructuredData'])
    .concat(['aiConfidenceScore', 'externalTruckId', 'externalVendorName', 'externalMaterialMaterialName', 'externalNetWeight'])
    .concat(['externalNetWeightUnit', 'externalTicketNumber']),
  instead: { flagged: false, ocrProcessed: false, aiProcessed: false },
});

definePartnerFields(Signature, {
  passed: [
    ...RECORD,
    'companyId',
    'type',
    'signableType',
    'signableId',
    'jobId',
    'driverDayId',
    'lat',
    'lon',
    'name',
    'phone',
    'imageId',
  ].concat(['imageMimeType', 'imageName', 'imageUrl', 'signedByType', 'signedById', 'signedByName']),
  kept: ['imageSize'],
  sorts: ['createdAt'],
});
