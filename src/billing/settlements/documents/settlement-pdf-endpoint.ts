import type { HttpEndpoint } from '../../../platform/http/http-endpoints.ts';
import { findOwn } from '../read-settlement.ts';
import { documentOf } from './kept-document.ts';
import { logoOf } from './logo-on-paper.ts';
import { type PaperServices, paperEndpoint } from './paper-endpoint.ts';
import { fileNameOf, paperOf, printDocument } from './print-document.ts';
import { requireMoney } from './require-money.ts';
import { PDF_PATH } from './settlement-pdf-url.ts';
import { MOST_READ, picturesOf } from './ticket-pictures.ts';

/** A settlement on paper: `pdfUrl` of a settlement leads here. */
export const settlementPdfEndpoints: readonly HttpEndpoint<PaperServices>[] = [
  paperEndpoint({
    path: PDF_PATH,
    operationId: 'GetSettlementPdf',
    summary: 'Get settlement PDF',
    description:
      'A settlement as it is printed, in the language and date format of its company: an invoice for a customer, a settlement for a vendor, a pay statement for a driver. It requires to see the rates of its side.',
    model: 'Settlement',
    conflicts: true,
    async find(ctx, { id, companyId }) {
      const settlement = await findOwn(ctx, id, companyId);
      requireMoney(ctx, settlement);
      return settlement;
    },
    async print(ctx, settlement) {
      const said = await documentOf(ctx, settlement);
      return {
        fileName: fileNameOf(said),
        async write(wanted) {
          const logo = await logoOf(ctx.em, said, ctx.report);
          const pictures = await picturesOf(ctx, said.pictures ?? [], MOST_READ);
          return printDocument(said, { size: wanted ?? paperOf(said), logo, pictures });
        },
      };
    },
  }),
];
