import { defineMessages } from '../../platform/i18n/messages.ts';

export const settlementMessages = defineMessages({
  voided_and_changed: {
    en: 'is voided, and its invoices were changed since, so that nobody knows what it looked like',
    'es-us': 'está anulada y sus facturas cambiaron desde entonces, así que nadie sabe cómo era',
    'fr-ca': "est annulé, et ses factures ont changé depuis, de sorte que personne ne sait ce qu'il contenait",
  },
  in_settlement: {
    en: 'is in settlement {{settlement}}; void that first',
    'es-us': 'está en la liquidación {{settlement}}; anúlela primero',
    'fr-ca': "fait partie du règlement {{settlement}} ; annulez-le d'abord",
  },
  in_sent_settlement: {
    en: 'was sent with settlement {{settlement}}; answer that',
    'es-us': 'se envió con la liquidación {{settlement}}; responda a esa',
    'fr-ca': 'a été envoyé avec le règlement {{settlement}} ; répondez à celui-ci',
  },
  settlement_sent: {
    en: 'was sent to the customer, who has to release it first',
    'es-us': 'se envió al cliente, que primero debe liberarla',
    'fr-ca': "a été envoyé au client, qui doit d'abord le libérer",
  },
  invoice_not_approved: {
    en: 'is {{state}}; only approved invoices can be settled',
    'es-us': 'está en estado {{state}}; solo se liquidan facturas aprobadas',
    'fr-ca': "est à l'état {{state}} ; seules les factures approuvées peuvent être réglées",
  },
  invoice_of_other_side: {
    en: 'is on the other side than the first one: what customers owe and what is paid are settled apart',
    'es-us': 'es del otro lado que la primera: lo que deben los clientes y lo que se paga se liquidan por separado',
    'fr-ca': "n'est pas du même côté que la première : ce que les clients doivent et ce qui est payé se règlent à part",
  },
  invoice_of_other_party: {
    en: 'is for another customer, vendor or driver than the first one',
    'es-us': 'es de otro cliente, proveedor o conductor que la primera',
    'fr-ca': 'concerne un autre client, fournisseur ou chauffeur que la première',
  },
  invoice_of_other_currency: {
    en: 'is in another currency than the first one',
    'es-us': 'está en otra moneda que la primera',
    'fr-ca': 'est dans une autre devise que la première',
  },
  negative_settlement: {
    en: 'has a negative total; only a company administrator may approve it',
    'es-us': 'tiene un total negativo; solo un administrador de la empresa puede aprobarla',
    'fr-ca': "a un total négatif ; seul un administrateur de l'entreprise peut l'approuver",
  },
  nothing_to_carry_forward: {
    en: 'is nothing that a vendor or driver owes: only a negative payable is carried forward',
    'es-us': 'no es algo que deba un proveedor o conductor: solo se traslada un saldo por pagar negativo',
    'fr-ca': "n'est rien qu'un fournisseur ou un chauffeur doive : seul un solde à payer négatif est reporté",
  },
  balance_is_charged: {
    en: 'was carried forward, and another settlement charges it; void that first',
    'es-us': 'se trasladó y otra liquidación lo cobra; anúlela primero',
    'fr-ca': "a été reporté et un autre règlement le facture ; annulez-le d'abord",
  },
  settlement_under_way: {
    en: 'is on its way to accounting',
    'es-us': 'está en camino a la contabilidad',
    'fr-ca': 'est en route vers la comptabilité',
  },
  settlement_export_uncertain: {
    en: 'was sent to accounting, which has not answered: export it again, or note in exported_at whether it is there',
    'es-us': 'se envió a la contabilidad, que no respondió: expórtela de nuevo o anote en exported_at si está allí',
    'fr-ca': "a été envoyé à la comptabilité, qui n'a pas répondu : exportez-le de nouveau ou notez dans exported_at s'il y est",
  },
  settlement_exported: {
    en: 'was exported to accounting, or is on its way there',
    'es-us': 'se exportó a contabilidad o está en camino',
    'fr-ca': "a été exporté vers la comptabilité, ou s'y trouve en route",
  },
  settlement_not_editable: {
    en: 'cannot be changed while {{state}}; only a pending settlement can',
    'es-us': 'no se puede cambiar en estado {{state}}; solo una liquidación pendiente',
    'fr-ca': "ne peut pas être modifié à l'état {{state}} ; seul un règlement en attente le peut",
  },
  settlement_not_exportable: {
    en: 'cannot be noted while {{state}}; approve the settlement first',
    'es-us': 'no se puede anotar en estado {{state}}; apruebe primero la liquidación',
    'fr-ca': "ne peut pas être noté à l'état {{state}} ; approuvez d'abord le règlement",
  },
  exported_by_linked_account: {
    en: 'cannot be set by hand: a linked accounting system exports settlements',
    'es-us': 'no se puede fijar a mano: un sistema contable vinculado exporta las liquidaciones',
    'fr-ca': 'ne peut pas être fixé à la main : un système comptable lié exporte les règlements',
  },
  settlement_not_voided: {
    en: 'is {{state}}; only a voided settlement can be billed anew',
    'es-us': 'está en estado {{state}}; solo se refactura una liquidación anulada',
    'fr-ca': "est à l'état {{state}} ; seul un règlement annulé peut être refacturé",
  },
  already_rebilled: {
    en: 'has been billed anew already',
    'es-us': 'ya se ha refacturado',
    'fr-ca': 'a déjà été refacturé',
  },
  after_the_end: {
    en: 'must not be after the end',
    'es-us': 'no debe ser posterior al final',
    'fr-ca': 'ne doit pas suivre la fin',
  },
  period_too_long: {
    en: 'must be within {{max}} days from the start',
    'es-us': 'debe estar dentro de {{max}} días desde el inicio',
    'fr-ca': 'doit être à moins de {{max}} jours du début',
  },
  party_not_settled: {
    en: 'cannot be sent without {{kind}} in bulk_create_for',
    'es-us': 'no se puede enviar sin {{kind}} en bulk_create_for',
    'fr-ca': 'ne peut pas être envoyé sans {{kind}} dans bulk_create_for',
  },
  nothing_corrected: {
    en: 'says nothing that changes: a rate or lines',
    'es-us': 'no indica ningún cambio: una tarifa o líneas',
    'fr-ca': "n'indique aucun changement : un tarif ou des lignes",
  },
  not_a_rebill: {
    en: 'is not billed anew: void the settlement first',
    'es-us': 'no es una refacturación: anule primero la liquidación',
    'fr-ca': "n'est pas une refacturation : annulez d'abord le règlement",
  },
});
