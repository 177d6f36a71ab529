import { defineMessages } from '../../platform/i18n/messages.ts';

export const chargeMessages = defineMessages({
  base_of_percentage: {
    en: 'is only for add-ons that are a percentage',
    'es-us': 'es solo para recargos que son un porcentaje',
    'fr-ca': 'est réservé aux suppléments qui sont un pourcentage',
  },
  waiting_of_each: {
    en: 'is only for add-ons of the type RateForEach',
    'es-us': 'es solo para recargos del tipo RateForEach',
    'fr-ca': 'est réservé aux suppléments de type RateForEach',
  },
  without_waiting: {
    en: 'is only for add-ons that count waiting',
    'es-us': 'es solo para recargos que cuentan la espera',
    'fr-ca': "est réservé aux suppléments qui comptent l'attente",
  },
  add_on_of_other_use: {
    en: 'is an add-on for other uses; here it must be for one of {{values}}',
    'es-us': 'es un cargo para otros usos; aquí debe ser para uno de {{values}}',
    'fr-ca': "est un supplément pour d'autres usages; ici il doit être pour l'un de {{values}}",
  },
  fuel_on_invoices: {
    en: 'is a fuel surcharge, which goes by the day of the work; charge it on the invoices',
    'es-us': 'es un recargo por combustible, que depende del día del trabajo; cóbrelo en las facturas',
    'fr-ca': 'est un supplément de carburant, qui dépend du jour du travail ; facturez-le sur les factures',
  },
  follows_request: {
    en: 'is on an invoice and follows what was requested; change the request',
    'es-us': 'está en una factura y sigue lo solicitado; cambie la solicitud',
    'fr-ca': 'est sur une facture et suit ce qui a été demandé ; modifiez la demande',
  },
  other_invoice: {
    en: 'is not the invoice that the charge is on',
    'es-us': 'no es la factura en la que está el cargo',
    'fr-ca': "n'est pas la facture sur laquelle est le supplément",
  },
  request_of_work: {
    en: 'is only for a charge that is added; what was requested comes on invoices by itself',
    'es-us': 'es solo para un cargo que se agrega; lo solicitado llega solo a las facturas',
    'fr-ca': 'est réservé à un supplément ajouté ; ce qui a été demandé arrive de lui-même sur les factures',
  },
});
