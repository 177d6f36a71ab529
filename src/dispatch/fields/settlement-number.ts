// An approved record names the settlement that holds it, which a higher room keeps.
export const RECEIVABLE = 'AR';
export const PAYABLE = 'AP';

/** Returns the SQL of a settlement's number: `AR-118` when a customer owes it, and `AP-118` when a vendor or driver is paid by it. @param t its row */
export const settlementNumberSql = (t: string): string =>
  `case ${t}.side when 'receivable' then '${RECEIVABLE}-' else '${PAYABLE}-' end || ${t}.number`;

/** SQL of what the settlement is called that has an invoice now; null if none has. */
export const settlementOfSql = (invoiceId: string): string =>
  `(select ${settlementNumberSql('s')} from settlement_invoice x join settlement s on s.id = x.settlement_id where x.invoice_id = ${invoiceId} and x.live)`;

export const prefixOf = (side: unknown): string => (side === 'receivable' ? RECEIVABLE : PAYABLE);
/** The same of a side and a number. */
export const settlementNumber = (side: 'receivable' | 'payable', number: number): string => `${prefixOf(side)}-${number}`;
