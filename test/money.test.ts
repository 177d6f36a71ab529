import { expect, test } from '@jest/globals';
import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { entities } from '../src/app/rooms.ts';
import { schemaOfRooms } from '../src/app/serve.ts';
import { maskMoney, moneyPermission, unmaskMoney } from '../src/identity/access/money.ts';
import { readSpecOf } from '../src/platform/model/decorators.ts';

const schema = schemaOfRooms();
const types = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType =>
    isObjectType(type) && !type.name.startsWith('__') && type !== schema.getQueryType() && type !== schema.getMutationType(),
);
const WORDS =
  /rate|price|cost|amount|margin|pay(?!load)|invoice|settle|surcharge|commission|\btax|tax[A-Z]|revenue|charge|wage|fee\b|total/i;
const SCALARS = ['Decimal', 'Float', 'JSON'];
/** Whether and when are no amounts. */
const NEVER = ['Boolean', 'DateTime'];
const looksLikeMoney = types.flatMap((type) =>
  Object.values(type.getFields())
    .filter((field) => !NEVER.includes(getNamedType(field.type).name))
    .filter(
      (field) => SCALARS.includes(getNamedType(field.type).name) || WORDS.test(field.name) || getNamedType(field.type).name === 'Rate',
    )
    .map((field) => ({ type: type.name, field: field.name, name: `${type.name}.${field.name}`, of: getNamedType(field.type).name })),
);

/** Money that no column decorator masks, and where it is. */
const MASKED_ELSEWHERE: Record<string, string> = {
  'Rate.*': 'a rate card is reached over masked relations, which the test below asserts, and in lists of those one sees (see-rates.ts)',
  'Rate{Connection,Edge}.*': 'the same lists',
  '{InvoiceMatch,InvoiceMatchLine,MatchedLine}.*': 'matchesOf in match-invoices.ts is null to those who do not see what vendors cost',
  'SettlementLineItem{,Group}.*': 'lineItemsOf in settlement-line-items.ts is null to those who do not see the rates of its side',
  'Job.{receivableInvoice,payableInvoice}': 'null to those who read no invoices (invoices-of-jobs.ts); an invoice masks its own money',
  '{InvoicePreview,PreviewedInvoice,PreviewedLineItem,PreviewedCharge,PreviewedTotal}.*':
    'previewOf in preview-jobs.ts leaves out the sides whose rates one does not see',
  'Invoice.settlement': 'a settlement masks its own money (settlement.access.ts), as settlement-of-invoice.test.ts asserts',
  'Settlement.explain': 'explanationsOf in explain-settlement.ts is null to those who do not see the amounts of its side',
  'MetricValue.value': 'mayMeasure in question.ts refuses measures of money to those who do not see the rates of their sides',
  'GeneratedInvoiceLineItem.*': 'generateLineItems in generate-line-items.ts asks for the side of the invoice',
  'AutoAddOnAssignment.*': 'onSeenSides in see-rates.ts: nobody reads those of a side that they do not see',
  'AppliedRate{,s}.*': 'appliedRates in applied-rates.ts leaves out the sides one does not see',
  'AccountingItem.unit{Cost,Price}': 'AccountingItemResolver in accounting-item.resolver.ts',
  'AddOnFuelSurchargeRate.*': 'SEES_FUEL: the office alone asks for it',
  'FuelSurchargeRow.*': 'SEES_FUEL: what a formula says that the caller gave, who writes these tables',
  '{FuelPrice,FuelSurchargeSchedulePrice}{,Connection,Edge}.*': 'SEES_FUEL: the office alone lists them, and nothing else names them',
  '{ProjectQuote,QuotedRate,QuotedMaterial,QuotedCharge,QuotedFuel,QuotedFuelRow}.*':
    'projectQuote asks for customer rates, and nothing else leads to them',
  'RateTier.*': 'a part of a rate card, which is masked wherever it is reached',
  'ProjectWage.*': 'parts of Project.wages, which is masked',
  'RateCost.*': 'calculateCost in calculate-cost.ts asks for both sides',
  'MaterialRateAssignment.*': 'made of the masked columns materialSellPrice and materialBuyPrice',
  'Job.materialRateAssignment': 'the same',
  'Load.materialRateAssignment': 'the same',
  'ImportedRecord.payload': 'maskMoney in imported-record.resolver.ts',
  'ImportedRecord.metadata': 'maskMoney in imported-record.resolver.ts',
  'ImportWarning.*': 'maskWarnings in hide-money.ts',
  'ImportFieldChange.*': 'maskPreview in hide-money.ts',
  'AuditLogEntry.objectChanges': 'shownChanges in audit-log.ts',
  'TimelineEntry.objectChanges': 'seesMoney in timeline.resolver.ts',
  'JobTimelineEntry.objectChanges': 'seesMoney in job-timeline.ts',
};

/** Names that look like money and are none. `*` is any part of a name. */
const NO_MONEY: Record<string, string> = {
  '*.lat': 'degrees',
  '*.lon': 'degrees',
  '*.default{Lat,Lon}': 'degrees',
  '{Geofence,TriggeredShape}.geojson': 'a shape',
  'Company.siteRadius': 'metres',
  'Order.materialRateSupplierAccount': 'who sells the material',
  'SiteRateSchedule.approvedInvoicesCount': 'a count',
  'ReportDefinition.filter': 'which records a report counts',
  'SiteRadius.radiusMeters': 'metres',
  'LocationHistory.{accuracyMeters,speedMetersPerSecond,bearing}': 'metres, speed and degrees',
  'TriggeredShape.circleRadius': 'metres',
  '{GeofenceTrigger,FoundGeofenceTrigger}.confidence': 'how sure a crossing is',
  'JobSummary.gpsTotalPings': 'a count of positions',
  'AccountingItem.{costUnitOfMeasure,priceUnitOfMeasure}': 'units',
  'TelematicsFleet.mapping': 'names of fields of a provider',
  'TelematicsRemoteVehicle.remoteVehicleExternalId': 'the key of a truck at its provider',
  '*.{quantity,deliveredQuantity,jobQuantity,orderQuantity,totalQuantity}': 'hauled, not paid',
  '*.{billableHours,grossCapacity,equipmentTypeGrossCapacity,capacity}': 'hours and capacities',
  '*.{travelledDistanceMeters,unmeasuredDistanceMeters,pickupToDropoffDistanceMeters}': 'metres',
  'AddOnCharge.invoice': 'an id',
  'OrderSummary.*': 'quantities and counts of an order',
  'DeliveredQuantity.*': 'quantities',
  'Invoice.{invoiceId,accountingExport,accountingReversal,parentInvoice,addOnChargesCount,invoiceLineItems,totalLoadsCount,invoiceLineItemsTotalQuantity,invoiceable}':
    'names, counts and quantities; the lines mask their own money',
  'VendorBill.linesCount': 'a count',
  'BillingProfile.taxExemptNumber': 'a number of an authority',
  'LoadMatch.{tolerated,invoice,vendorBill,ticketQuantity,reportedQuantity,billedQuantity,theirQuantity,otherScaleQuantity}':
    'quantities, and records that mask their own money',
  'BillingPeriod.{invoicesCount,settlementsCount,leftOutInvoicesCount,leftOutSettlementsCount}': 'counts',
  'NextBillingPeriod.{unapprovedInvoices,leftOverInvoices,unapprovedSettlements,unsettledInvoices}': 'counts',
  'Invoice.unsettledReason': 'a reason',
  'CompanySettings.match{ReportPercent,ReportLeast,ScalePercent,TimePercent}': 'what a company tolerates of quantities and times',
  'SettlementEmailDelivery.{settlement,settlementId}': 'references; the settlement masks its own money',
  'IntegrationSettlementExport.integrationInvoiceId': 'what an accounting system calls a document',
  'CompanySettings.paymentTermsDays': 'days',
  'Subscription.importSettled': 'a record that was imported, which the ledger masks itself',
  'CompanySettings.thinMarginPercent': 'what a company looks at, no amount',
  'User.wageClassification': 'a name of work, no amount',
  'Settlement.{lastSettlementEmailDelivery,integrationSettlementExport,reversalSettlementExport,originalSettlement,settlementId,arSettlementId,apSettlementId,settlementLineItemType,settlementLineItemGroupings}':
    'names, and how it is printed; the original masks its own money',
  'InvoiceLineItem.{invoice,invoiceId,revenueCostRateType,workQuantity}': 'names, quantities, and how a line is counted',
  'TicketRunningTotal.*': 'weights and counts of tickets',
  'Ticket.*': 'weights, quantities and how sure a reading is',
  'AiReview.confidence': 'how sure a review is',
  '{AddOn.fuelSurchargeSchedule,FuelSurchargeSchedule.*,FuelPriceIndex.*}': 'names of tables, and how they are counted',
  '{AddOn,AddOnCharge}.{revenueCostRateType,addOnRateType}': 'how an add-on is counted, no price',
  '*.haulerRateType': 'how hauling is counted, no price',
  '*.materialRate{Itemized,Site,UnitOfMeasure}': 'how material is billed, no price',
  '*.tax{Rate,Freight,Material,AddOns}': 'a public percentage and what it is on',
  '*.chargeToAccount': 'a number of the customer',
  'Company.{fuelSurchargePercentage,effectiveFuelSurchargePercentage}':
    'the fuel schedule is for everybody of the company (DOMAIN section 2); @Internal to others',
  'Company.{saasBillingPlan,effectiveSaasBillingPlan}': 'what the company is to us',
  'Import{Batch,Status,StatusSender}.*': 'counts of records',
  'Material.density': 'tonnes of a cubic metre',
  'User.preferences': 'what somebody wants to be notified of',
  '{User.payBy,CompanySettings.driverPayBy}': 'what pay is counted by, no amount',
  'JobEvent.payload': 'who was assigned, and why something was refused',
  '*.{totalCount,expectedTotalLoads,capacityTotalCount,ordersTotalCount}': 'counts',
  '{TicketRollupSummary,OrderEstimate}.*': 'counts and quantities',
  'Project.projectMaterialTotals': 'quantities of materials',
  'Geofence.circleRadius': 'metres',
  'TimeLogged.totalTimeLogged': 'minutes',
  'DriverDay.total{Gps,OnDuty,Break,Shift}Minutes': 'minutes',
  'DriverDay.payableMinutes': 'minutes',
  'DriverDay.totalDeliveredQuantities': 'quantities',
  'WebhookAttempt.{requestHeaders,responseHeaders}': 'headers of HTTP',
  '{DirectUpload,DirectUploadTarget}.{metadata,headers}': 'how a file is sent',
};

const pattern = (text: string) =>
  new RegExp(
    `^${text
      .replaceAll('.', '\\.')
      .replaceAll('*', '.*')
      .replace(/\{([^}]*)\}/g, (_, names: string) => `(${names.replaceAll(',', '|')})`)}$`,
  );
const listed = (table: Record<string, string>, name: string) => Object.keys(table).some((one) => pattern(one).test(name));
const maskOf = (type: string, field: string) => {
  const entity = entities.find((one) => one.name === type);
  return entity && readSpecOf(entity).masked.get(field)?.permission;
};

test('every field that looks like money is masked, or listed as none', () => {
  const unsaid = looksLikeMoney.filter(
    ({ type, field, name }) => !maskOf(type, field) && !listed(MASKED_ELSEWHERE, name) && !listed(NO_MONEY, name),
  );
  expect(unsaid.map(({ name }) => name)).toEqual([]);
});

test('every path to a rate card is masked', () => {
  expect(
    looksLikeMoney.filter(({ type, field, of }) => of === 'Rate' && !maskOf(type, field) && !/^Rate(Connection|Edge)$/.test(type)),
  ).toEqual([]);
});

const SEEN_BY_RATES = ['view_customer_rates', 'view_driver_rates', 'view_vendor_rates'];

test('a masked column is masked under its name in free JSON, too, by the same permission', () => {
  const wrong = entities.flatMap((entity) =>
    [...readSpecOf(entity as never).masked].flatMap(([field, { permission }]) => {
      // Some columns are masked for other reasons than money.
      if (permission === undefined || !SEEN_BY_RATES.includes(permission)) return [];
      const key = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [key, `${key}_id`].every((one) => moneyPermission(one, entity.name) === permission) ? [] : [`${entity.name}.${key}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('masking changes nothing else, and unmasking restores what was hidden', () => {
  const viewer = { can: (name: string) => name === 'view_driver_rates' } as never;
  const stored = { customer_rate_value: '1', driver_rate_value: '2', loads: [{ vendor_rate: { a: 1 }, n: null }], zone: 'b', at: 0 };
  const shown = { customer_rate_value: null, driver_rate_value: '2', loads: [{ vendor_rate: null, n: null }], zone: 'b', at: 0 };
  expect(maskMoney(viewer, stored)).toEqual(shown);
  expect(unmaskMoney(viewer, { ...shown, zone: 'c' }, stored)).toEqual({ ...stored, zone: 'c' });
  expect(unmaskMoney(viewer, { ...shown, customer_rate_value: '9' }, stored)).toEqual({ ...stored, customer_rate_value: '9' });
});
