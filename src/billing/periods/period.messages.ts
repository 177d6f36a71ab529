import { defineMessages } from '../../platform/i18n/messages.ts';

export const periodMessages = defineMessages({
  period_closed: {
    en: 'counts in a period that is closed',
    'es-us': 'cuenta en un período cerrado',
    'fr-ca': 'compte dans une période fermée',
  },
  period_is_closed: {
    en: 'is closed already: the books are closed through {{day}}',
    'es-us': 'ya está cerrado: los libros están cerrados hasta el {{day}}',
    'fr-ca': 'est déjà fermé : les livres sont fermés jusqu’au {{day}}',
  },
  period_not_over: {
    en: 'is not over yet',
    'es-us': 'aún no ha terminado',
    'fr-ca': "n'est pas encore terminé",
  },
  period_has_invoices: {
    en: 'cannot be closed: invoices that are not approved: {{count}}',
    'es-us': 'no se puede cerrar: facturas sin aprobar: {{count}}',
    'fr-ca': 'ne peut pas être fermé : factures non approuvées : {{count}}',
  },
  period_has_settlements: {
    en: 'cannot be closed: settlements that are not approved: {{count}}',
    'es-us': 'no se puede cerrar: liquidaciones sin aprobar: {{count}}',
    'fr-ca': 'ne peut pas être fermé : règlements non approuvés : {{count}}',
  },
  later_period_closed: {
    en: 'is followed by a closed period; open that first',
    'es-us': 'le sigue un período cerrado; ábralo primero',
    'fr-ca': "est suivie d'une période fermée ; rouvrez-la d'abord",
  },
  period_exported: {
    en: 'cannot be opened again: something of it was handed to accounting',
    'es-us': 'no se puede reabrir: parte de él se entregó a contabilidad',
    'fr-ca': 'ne peut pas être rouverte : une partie en a été transmise à la comptabilité',
  },
  invoice_of_closed_period: {
    en: 'counts in a period that is closed; say `in_open_period` to settle it in the open one',
    'es-us': 'cuenta en un período cerrado; indique `in_open_period` para liquidarla en el abierto',
    'fr-ca': 'compte dans une période fermée ; indiquez `in_open_period` pour la régler dans celle qui est ouverte',
  },
  invoices_left_out: {
    en: 'is not said, so approved invoices that count in a closed period are left out ({{count}}): {{invoices}}',
    'es-us': 'no se indica; por eso se omiten facturas aprobadas que cuentan en un período cerrado ({{count}}): {{invoices}}',
    'fr-ca':
      "n'est pas indiqué ; des factures approuvées qui comptent dans une période fermée sont donc laissées de côté ({{count}}) : {{invoices}}",
  },
  fuel_price_of_closed_period: {
    en: 'is a price at which invoices of a closed period were charged; the books are closed through {{day}}',
    'es-us': 'es un precio con el que se cobraron facturas de un período cerrado; los libros están cerrados hasta el {{day}}',
    'fr-ca': 'est un prix auquel des factures d’une période fermée ont été facturées ; les livres sont fermés jusqu’au {{day}}',
  },
});
