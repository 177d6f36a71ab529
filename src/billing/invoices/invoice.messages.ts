import { defineMessages } from '../../platform/i18n/messages.ts';

export const invoiceMessages = defineMessages({
  material_has_no_rate: {
    en: 'is not for an invoice of material: change the prices of its lines',
    'es-us': 'no es para una factura de material: cambie los precios de sus líneas',
    'fr-ca': "n'est pas pour une facture de matériau : modifiez les prix de ses lignes",
  },
  blocked_by_job_not_finished: {
    en: 'cannot be approved: its job is not finished',
    'es-us': 'no se puede aprobar: el trabajo no ha terminado',
    'fr-ca': "ne peut pas être approuvée : le travail n'est pas terminé",
  },
  blocked_by_open_load: {
    en: 'cannot be approved: a load of its job is still open',
    'es-us': 'no se puede aprobar: una carga del trabajo sigue abierta',
    'fr-ca': 'ne peut pas être approuvée : un chargement du travail est encore ouvert',
  },
  blocked_by_load_not_approved: {
    en: 'cannot be approved: a load has not been approved for billing',
    'es-us': 'no se puede aprobar: una carga no está aprobada para facturación',
    'fr-ca': "ne peut pas être approuvée : un chargement n'est pas approuvé pour la facturation",
  },
  blocked_by_job_not_approved: {
    en: 'cannot be approved: its job has not been approved for billing',
    'es-us': 'no se puede aprobar: el trabajo no está aprobado para facturación',
    'fr-ca': "ne peut pas être approuvée : le travail n'est pas approuvé pour la facturation",
  },
  blocked_by_shift_not_ended: {
    en: 'cannot be approved: the shift is not over',
    'es-us': 'no se puede aprobar: el turno no ha terminado',
    'fr-ca': "ne peut pas être approuvée : le quart de travail n'est pas terminé",
  },
  blocked_by_driver_day_not_approved: {
    en: 'cannot be approved: the day of the driver has not been approved for billing',
    'es-us': 'no se puede aprobar: la jornada del conductor no está aprobada para facturación',
    'fr-ca': "ne peut pas être approuvée : la journée du chauffeur n'est pas approuvée pour la facturation",
  },
  blocked_by_day_not_finished: {
    en: 'cannot be approved: another job of the driver that is paid with it on that day is not finished',
    'es-us': 'no se puede aprobar: otro trabajo del conductor que se paga con este ese día no ha terminado',
    'fr-ca': "ne peut pas être approuvée : un autre travail du chauffeur payé avec celui-ci ce jour-là n'est pas terminé",
  },
  blocked_by_missing_time: {
    en: 'cannot be approved: nobody knows the time that its rate pays',
    'es-us': 'no se puede aprobar: no se conoce el tiempo que paga la tarifa',
    'fr-ca': "ne peut pas être approuvée : le temps que paie le tarif n'est pas connu",
  },
  blocked_by_ticket_missing: {
    en: 'cannot be approved: the ticket of a load is missing',
    'es-us': 'no se puede aprobar: falta el boleto de una carga',
    'fr-ca': "ne peut pas être approuvée : le billet d'un chargement manque",
  },
  blocked_by_ticket_incomplete: {
    en: 'cannot be approved: the ticket of a load has no quantity',
    'es-us': 'no se puede aprobar: el boleto de una carga no tiene cantidad',
    'fr-ca': "ne peut pas être approuvée : le billet d'un chargement n'a pas de quantité",
  },
  blocked_by_missing_quantity: {
    en: 'cannot be approved: a load has no quantity',
    'es-us': 'no se puede aprobar: una carga no tiene cantidad',
    'fr-ca': "ne peut pas être approuvée : un chargement n'a pas de quantité",
  },
  blocked_by_unit_mismatch: {
    en: 'cannot be approved: the unit of a load cannot be converted to that of the rate',
    'es-us': 'no se puede aprobar: la unidad de una carga no se puede convertir a la de la tarifa',
    'fr-ca': "ne peut pas être approuvée : l'unité d'un chargement ne se convertit pas en celle du tarif",
  },
  blocked_by_no_rate: {
    en: 'cannot be approved: it has no rate',
    'es-us': 'no se puede aprobar: no tiene tarifa',
    'fr-ca': "ne peut pas être approuvée : elle n'a pas de tarif",
  },
  blocked_by_no_counterparty: {
    en: 'cannot be approved: nobody is named who pays or is paid',
    'es-us': 'no se puede aprobar: no se indica quién paga o quién cobra',
    'fr-ca': "ne peut pas être approuvée : personne n'est désigné pour payer ou être payé",
  },
  blocked_by_commission_without_receivable: {
    en: 'cannot be approved: there is no receivable of which a commission could be paid',
    'es-us': 'no se puede aprobar: no hay factura por cobrar de la que pagar una comisión',
    'fr-ca': "ne peut pas être approuvée : il n'y a pas de compte client dont payer une commission",
  },
  blocked_by_fuel_price_missing: {
    en: 'cannot be approved: the price of fuel of the day is not known',
    'es-us': 'no se puede aprobar: no se conoce el precio del combustible del día',
    'fr-ca': "ne peut pas être approuvée : le prix du carburant du jour n'est pas connu",
  },
  blocked_by_ticket_conflict: {
    en: 'cannot be approved: the ticket of a load contradicts what was reported, weighed, billed or seen; correct it, or say why it is right',
    'es-us':
      'no se puede aprobar: el boleto de una carga contradice lo reportado, pesado, facturado o visto; corríjalo o indique por qué es correcto',
    'fr-ca':
      "ne peut pas être approuvée : le billet d'un chargement contredit ce qui a été déclaré, pesé, facturé ou vu ; corrigez-le ou dites pourquoi il est juste",
  },
  negative_total: {
    en: 'has a negative total; only a company administrator may approve it',
    'es-us': 'tiene un total negativo; solo un administrador de la empresa puede aprobarla',
    'fr-ca': "a un total négatif ; seul un administrateur de l'entreprise peut l'approuver",
  },
  currency_of_invoices: {
    en: 'cannot be changed: there are invoices in {{currency}}',
    'es-us': 'no se puede cambiar: hay facturas en {{currency}}',
    'fr-ca': 'ne peut pas être changée : il y a des factures en {{currency}}',
  },
  has_supplements: {
    en: 'has the supplement {{invoice}}; void that first',
    'es-us': 'tiene el suplemento {{invoice}}; anúlelo primero',
    'fr-ca': "a le supplément {{invoice}} ; annulez-le d'abord",
  },
  no_supplement_yet: {
    en: 'is {{state}}; only what is approved gets a supplement',
    'es-us': 'está en estado {{state}}; solo lo aprobado recibe un suplemento',
    'fr-ca': "est à l'état {{state}} ; seul ce qui est approuvé reçoit un supplément",
  },
  nothing_to_supplement: {
    en: 'is billed as its work is: nothing differs',
    'es-us': 'está facturado como su trabajo: nada difiere',
    'fr-ca': 'est facturé comme son travail : rien ne diffère',
  },
  charges_of_supplement: {
    en: 'is a supplement, which has no charges of its own: request them for the job',
    'es-us': 'es un suplemento, que no tiene cargos propios: solicítelos para el trabajo',
    'fr-ca': "est un supplément, qui n'a pas de frais propres : demandez-les pour le travail",
  },
  supplement_not_generated: {
    en: 'is a supplement: set its rate to see what differs',
    'es-us': 'es un suplemento: fije su tarifa para ver lo que difiere',
    'fr-ca': 'est un supplément : fixez son tarif pour voir ce qui diffère',
  },
  supplement_not_rebilled: {
    en: 'name {{invoice}}, a supplement, which has no rate of its own',
    'es-us': 'nombran {{invoice}}, un suplemento, que no tiene tarifa propia',
    'fr-ca': "nomment {{invoice}}, un supplément, qui n'a pas de tarif propre",
  },
  line_is_difference: {
    en: 'is the difference to a line that was billed: correct the ticket or the rate',
    'es-us': 'es la diferencia con una línea ya facturada: corrija el boleto o la tarifa',
    'fr-ca': 'est la différence avec une ligne déjà facturée : corrigez le billet ou le tarif',
  },
  not_by_load: {
    en: 'is not charged by its loads, so it cannot be split',
    'es-us': 'no se cobra por sus cargas; no se puede dividir',
    'fr-ca': "n'est pas facturée par chargement ; elle ne peut pas être divisée",
  },
  all_loads_split: {
    en: 'are all of its loads; one has to stay',
    'es-us': 'son todas sus cargas; una debe quedar',
    'fr-ca': 'sont tous ses chargements ; il doit en rester un',
  },
  invoice_not_editable: {
    en: 'cannot be changed while {{state}}; only a pending invoice can',
    'es-us': 'no se puede cambiar en estado {{state}}; solo una factura pendiente',
    'fr-ca': "ne peut pas être modifiée à l'état {{state}} ; seule une facture en attente le peut",
  },
  not_a_receivable: {
    en: 'cannot be sent: only what a customer owes is sent to it',
    'es-us': 'no se puede enviar: solo se envía lo que debe un cliente',
    'fr-ca': "ne peut pas être envoyée : seul ce qu'un client doit lui est envoyé",
  },
  customer_not_connected: {
    en: 'cannot be sent: the customer is not connected with your company',
    'es-us': 'no se puede enviar: el cliente no está conectado con su empresa',
    'fr-ca': "ne peut pas être envoyée : le client n'est pas connecté à votre entreprise",
  },
  invoice_sent: {
    en: 'was sent to the customer; void it to invoice the work anew',
    'es-us': 'se envió al cliente; anúlela para facturar el trabajo de nuevo',
    'fr-ca': 'a été envoyée au client ; annulez-la pour facturer le travail à nouveau',
  },
  invoice_in_accounting: {
    en: 'was handed to accounting already',
    'es-us': 'ya se entregó a contabilidad',
    'fr-ca': 'a déjà été transmise à la comptabilité',
  },
  invoice_under_way: {
    en: 'is on its way to accounting, or was sent there and not answered: wait, export it again, or note whether it is there',
    'es-us': 'está en camino a la contabilidad, o se envió y no hubo respuesta: espere, expórtela de nuevo o anote si está allí',
    'fr-ca':
      "est en route vers la comptabilité, ou a été envoyée sans réponse : attendez, exportez-la de nouveau ou notez si elle s'y trouve",
  },
  invoice_export_certain: {
    en: 'was not sent to accounting without an answer: what became of it is known',
    'es-us': 'no se envió a contabilidad sin respuesta: se sabe qué fue de ella',
    'fr-ca': "n'a pas été envoyée à la comptabilité sans réponse : on sait ce qu'il en est",
  },
  invoice_not_sendable: {
    en: 'is {{state}}; only an approved invoice can be exported',
    'es-us': 'está en estado {{state}}; solo se exporta una factura aprobada',
    'fr-ca': "est à l'état {{state}} ; seule une facture approuvée peut être exportée",
  },
  exported_in_settlement: {
    en: 'is in settlement {{settlement}}, and is exported with that',
    'es-us': 'está en la liquidación {{settlement}} y se exporta con ella',
    'fr-ca': 'fait partie du règlement {{settlement}}, avec lequel elle est exportée',
  },
  blocked_by_stale_edited_line: {
    en: 'cannot be approved: the work of an edited line has changed since',
    'es-us': 'no se puede aprobar: el trabajo de una línea editada ha cambiado desde entonces',
    'fr-ca': "ne peut pas être approuvée : le travail d'une ligne modifiée a changé depuis",
  },
  negative_rate: {
    en: 'is negative, which only a company administrator may set',
    'es-us': 'es negativo, lo que solo puede fijar un administrador de la empresa',
    'fr-ca': "est négatif, ce que seul un administrateur de l'entreprise peut fixer",
  },
  commission_follows: {
    en: 'is that of a commission, which follows the lines of the receivable',
    'es-us': 'es de una comisión, que sigue las líneas de la factura por cobrar',
    'fr-ca': "est celui d'une commission, qui suit les lignes du compte client",
  },
  only_of_time: {
    en: 'is only for lines that pay time',
    'es-us': 'es solo para líneas que pagan tiempo',
    'fr-ca': 'est réservé aux lignes qui paient du temps',
  },
  line_is_split: {
    en: 'is one of several lines for the same work; set the rate of the invoice instead',
    'es-us': 'es una de varias líneas del mismo trabajo; fije la tarifa de la factura',
    'fr-ca': 'est une de plusieurs lignes du même travail ; fixez plutôt le tarif de la facture',
  },
  longer_than_a_day: {
    en: 'is more than 24 hours after the start',
    'es-us': 'es más de 24 horas después del inicio',
    'fr-ca': 'est plus de 24 heures après le début',
  },
  more_than_was_worked: {
    en: 'takes away more minutes than were worked',
    'es-us': 'quita más minutos de los trabajados',
    'fr-ca': 'retire plus de minutes que celles travaillées',
  },
  other_side_approved: {
    en: 'is on {{invoice}}, which is approved; take that approval back first, or change only this side',
    'es-us': 'está en {{invoice}}, que está aprobada; retire antes esa aprobación o cambie solo este lado',
    'fr-ca': "est sur {{invoice}}, qui est approuvée ; retirez d'abord cette approbation, ou ne modifiez que ce côté",
  },
  ticket_of_other_company: {
    en: 'is what ticket {{ticket}} of another company says; change only this side',
    'es-us': 'es lo que dice el boleto {{ticket}} de otra empresa; cambie solo este lado',
    'fr-ca': "est ce que dit le billet {{ticket}} d'une autre entreprise ; ne modifiez que ce côté",
  },
  rate_type_needs_rate: {
    en: 'needs a rate value or a rate',
    'es-us': 'requiere un valor de tarifa o una tarifa',
    'fr-ca': 'exige une valeur de tarif ou un tarif',
  },
  rate_type_not_of_rate: {
    en: 'is not that of the rate: leave it out, or add a rate value',
    'es-us': 'no es el de la tarifa: omítalo o agregue un valor de tarifa',
    'fr-ca': "n'est pas celui du tarif : omettez-le ou ajoutez une valeur de tarif",
  },
  rate_value_needs_type: {
    en: 'is required with a rate value',
    'es-us': 'es obligatorio con un valor de tarifa',
    'fr-ca': 'est obligatoire avec une valeur de tarif',
  },
});
