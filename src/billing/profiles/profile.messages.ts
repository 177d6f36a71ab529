import { defineMessages } from '../../platform/i18n/messages.ts';

export const profileMessages = defineMessages({
  blocked_by_po_missing: {
    en: 'cannot be approved: the customer wants the number of a purchase order, and its order has none or another kind of number',
    'es-us': 'no se puede aprobar: el cliente exige un número de orden de compra, y el pedido no tiene ninguno o es de otra forma',
    'fr-ca':
      'ne peut pas être approuvée : le client exige un numéro de bon de commande, et la commande n’en a pas ou il est d’une autre forme',
  },
  one_job_per_settlement: {
    en: 'is for another job, and the account gets a settlement for each job',
    'es-us': 'es de otro trabajo, y la cuenta recibe una liquidación por trabajo',
    'fr-ca': 'est d’un autre travail, et le compte reçoit un règlement par travail',
  },
  other_purchase_order: {
    en: 'is for another purchase order, and the account gets a settlement for each',
    'es-us': 'es de otra orden de compra, y la cuenta recibe una liquidación por cada una',
    'fr-ca': 'est d’un autre bon de commande, et le compte reçoit un règlement pour chacun',
  },
});
