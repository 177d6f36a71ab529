import { createSecretKey, randomBytes } from 'node:crypto';
import { supplementsOfWork } from '../../src/billing/invoices/parts/supplement-invoice.ts';
import { matchMeasuredLoads } from '../../src/billing/matching/match-measured.ts';
import { geocoder } from '../../src/directory/contacts/geocoded-addresses.ts';
import { bulkWaker } from '../../src/dispatch/bulk/enqueue.ts';
import { measuredLoads } from '../../src/dispatch/checks/measured-loads.ts';
import { supplements } from '../../src/dispatch/checks/supplements.ts';
import { routing } from '../../src/dispatch/orders/estimates/route-estimate.ts';
import { uploadSecrets } from '../../src/files/signed-ids.ts';
import { type IdentitySettings, identitySettings, identitySettingsWith } from '../../src/identity/settings.ts';
import { ingestWaker } from '../../src/ingest/wake.ts';
import type { Application } from '../../src/platform/application.ts';
import { publicUrl } from '../../src/platform/public-url.ts';
import { inProcessWaker } from '../../src/platform/queue/in-process-waker.ts';
import { cursorSecrets } from '../../src/platform/read/cursor.ts';
import { archiveSettings, NO_ARCHIVES } from '../../src/platform/storage/archive-settings.ts';
import { ticketReader } from '../../src/proof/reading/ticket-reader.ts';
import { reviewMeasuredLoads } from '../../src/proof/review/review-tasks.ts';
import { positionWaker } from '../../src/telematics/positions/position-tasks.ts';

/** Settings of identity for tests of something else: without limits, and with e-mail domains accepted without a proof. */
export const usualIdentity = (chosen: Partial<IdentitySettings> = {}): Readonly<IdentitySettings> =>
  identitySettingsWith({ issuer: 'haulgate', limitSignIns: false, ssoDomainProof: false, ...chosen });

/** Provides an application with what functions of the rooms require, for tests that open a database without starting the product. */
export function provideUsual(application: Application): Application {
  return application
    .provide(identitySettings, identitySettingsWith({ issuer: 'haulgate' }))
    .provide(publicUrl, 'https://haulgate.test')
    .provide(cursorSecrets, [createSecretKey(randomBytes(32))])
    .provide(uploadSecrets, [randomBytes(32)])
    .provide(ingestWaker, inProcessWaker())
    .provide(bulkWaker, inProcessWaker())
    .provide(positionWaker, inProcessWaker())
    .provide(archiveSettings, NO_ARCHIVES)
    .provide(geocoder, undefined)
    .provide(ticketReader, undefined)
    .provide(routing, {})
    .provide(supplements, supplementsOfWork)
    .provide(measuredLoads, [matchMeasuredLoads, reviewMeasuredLoads]);
}
