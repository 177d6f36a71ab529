import type { Context } from '../../../platform/context.ts';
import { withPartnerVisibility } from '../../../platform/database/scope.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../../platform/decimal.ts';
import { translate } from '../../../platform/i18n/messages.ts';
import { LINE_ITEM_TYPES } from '../../line-items/line-item-type.entity.ts';
import { type DocumentCharge, type DocumentKind, type DocumentTax, documentOf } from '../../settlements/documents/settlement-document.ts';
import type { Settlement } from '../../settlements/settlement.entity.ts';
import { COUNTERPARTY, LINES } from './accounting-document.sql.ts';

/** A record of ours that an item of an accounting system may be. */
export interface Itemizable {
  type: 'AddOn' | 'Service' | 'LineItemType';
  id: string;
}

/** A line for accounting. Decimals are text, and the amount is the quantity times the rate, rounded to cents. */
export interface AccountingLine {
  /** What it is, the most particular first. */
  itemizables: Itemizable[];
  /** How accounting knows what it is, if somebody said so; otherwise its name. */
  item: string;
  description: string;
  /** The first day of its work, or of the document. */
  date: string;
  quantity: string;
  rate: string;
  amount: string;
}

/** For whom a document is: an account, or a driver. */
export interface Counterparty {
  /** Null of a driver. */
  accountId: string | null;
  name: string;
  accountingId: string | null;
  externalId: string | null;
  email: string | null;
}

/** What accounting gets of a settlement: its lines and charges, and its tax by itself. They add up to the total. */
export interface AccountingDocument {
  settlementId: string;
  number: string;
  kind: DocumentKind;
  currency: string;
  /** How the company writes dates. */
  dateFormat: string;
  date: string;
  dueDate: string;
  counterparty: Counterparty;
  lines: AccountingLine[];
  taxes: DocumentTax[];
  total: string;
}

interface Work {
  date: string;
  order: string | null;
  serviceId: string | null;
  service: string | null;
  material: string | null;
  type: keyof typeof LINE_ITEM_TYPES;
  loads: number;
  quantity: string;
  rate: string;
  amount: string;
}

/** @throws Error if its parts do not add up to its total */
export const accountingDocumentOf = (ctx: Context, settlement: Settlement): Promise<AccountingDocument> =>
  withPartnerVisibility(() => drawUp(ctx, settlement));

async function drawUp(ctx: Context, settlement: Settlement): Promise<AccountingDocument> {
  const said = await documentOf(ctx, settlement);
  const { id, number, kind, currency, dateFormat, date, dueDate, language, taxes, total } = said;
  const [counterparty] = await queryOf<Counterparty>(ctx, COUNTERPARTY, [id]);
  const work = await queryOf<Work>(ctx, LINES, [id]);
  const word = (key: string, params = {}) => translate(language, key, params);
  const lines = [
    ...work.map(({ order, service, serviceId, material, type, loads, ...line }) => ({
      itemizables: [
        ...(type !== 'MaterialRateLineItem' && serviceId ? [{ type: 'Service', id: serviceId } as const] : []),
        { type: 'LineItemType', id: LINE_ITEM_TYPES[type] } as const,
      ],
      item:
        (type === 'MaterialRateLineItem' ? material : service) ??
        word(`accounting_${type === 'MaterialRateLineItem' ? 'material' : 'freight'}`),
      description: [
        order === null ? '' : word('document_order', { names: order }),
        material ?? '',
        loads > 0 ? word('accounting_loads', { loads }) : '',
      ]
        .filter(Boolean)
        .join(', '),
      ...counted(line),
    })),
    ...[...said.invoiceCharges, ...said.charges].map((charge) => chargeLine(charge, date, word('document_charges'))),
  ];
  const sum = [...lines, ...taxes].reduce((all, { amount }) => all.plus(amount), new Decimal(0));
  if (!sum.equals(total)) throw new Error(`what accounting would get of settlement ${id} does not add up to its total`);
  return { settlementId: id, number, kind, currency, dateFormat, date, dueDate, counterparty: counterparty!, lines, taxes, total };
}

/** Accounting systems multiply again: what is not the product, such as a share of a day, is one at its amount. */
function counted<L extends { quantity: string; rate: string; amount: string }>(line: L): L {
  const { quantity, rate, amount } = line;
  const product = new Decimal(quantity).mul(rate).toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
  const texts = product.equals(amount) ? [quantity, rate, amount] : ['1', amount, amount];
  return { ...line, quantity: decimalText(texts[0]!), rate: decimalText(texts[1]!), amount: decimalText(texts[2]!) };
}

function chargeLine(
  { addOnId, accountingId, name, quantity, rate, amount }: DocumentCharge,
  date: string,
  otherwise: string,
): AccountingLine {
  return {
    itemizables: addOnId === null ? [] : [{ type: 'AddOn', id: addOnId }],
    item: accountingId ?? name ?? otherwise,
    description: name ?? otherwise,
    date,
    ...counted({ quantity: quantity ?? '1', rate: rate ?? amount, amount }),
  };
}
