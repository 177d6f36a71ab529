import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { logoOf } from '../settlements/documents/logo-on-paper.ts';
import { type PaperServices, paperEndpoint } from '../settlements/documents/paper-endpoint.ts';
import { paperOf } from '../settlements/documents/print-document.ts';
import { printQuote } from './print-quote.ts';
import { quoteOf } from './read-quote.ts';

/** A quote on paper. */
export const quoteEndpoints: readonly HttpEndpoint<PaperServices>[] = [
  paperEndpoint({
    path: '/v1/companies/{company-id}/projects/{id}/quote/pdf',
    operationId: 'GetProjectQuotePdf',
    summary: 'Get project quote PDF',
    description:
      "A project's rates and materials as its customer gets them, printed in the language and date format of its company. It requires to see the rates of customers.",
    model: 'Project',
    find: quoteOf,
    async print(ctx, quote) {
      const { number, logoKey: key, logoType: type } = quote;
      return {
        fileName: `${number}.pdf`,
        async write(wanted) {
          const logo = await logoOf(ctx.em, { logo: key && type ? { key, type } : null }, ctx.report);
          return printQuote(quote, { size: wanted ?? paperOf(quote), logo });
        },
      };
    },
  }),
];
