import { defineMessages } from '../../platform/i18n/messages.ts';

export const rateMessages = defineMessages({
  not_of_rate_type: {
    en: 'is no value of a {{type}}',
    'es-us': 'no es un valor de {{type}}',
    'fr-ca': "n'est pas une valeur de {{type}}",
  },
  required_of_rate_type: {
    en: 'is required of a {{type}}',
    'es-us': 'es obligatorio para {{type}}',
    'fr-ca': 'est obligatoire pour {{type}}',
  },
  not_above_tier_before: {
    en: 'must be above 0, and above that of the tier before',
    'es-us': 'debe ser mayor que 0 y que el del tramo anterior',
    'fr-ca': 'doit être supérieur à 0 et à celui du palier précédent',
  },
  more_than_fringe: {
    en: 'is more than the fringe',
    'es-us': 'es mayor que las prestaciones',
    'fr-ca': 'est supérieur aux avantages sociaux',
  },
  without_tiers: {
    en: 'is only for rates that have tiers',
    'es-us': 'es solo para tarifas que tienen tramos',
    'fr-ca': 'est réservé aux tarifs qui ont des paliers',
  },
  other_owner_type: {
    en: 'must be the same as owner_type, or be left out',
    'es-us': 'debe ser igual a owner_type u omitirse',
    'fr-ca': 'doit être identique à owner_type ou être omis',
  },
  only_of_driver_rates: {
    en: 'is for rates of drivers only',
    'es-us': 'es solo para tarifas de conductores',
    'fr-ca': "n'est que pour les tarifs de chauffeurs",
  },
  only_of_account_rates: {
    en: 'is for rates of customers and vendors only',
    'es-us': 'es solo para tarifas de clientes y proveedores',
    'fr-ca': "n'est que pour les tarifs de clients et de fournisseurs",
  },
  no_common_unit: {
    en: 'cannot be converted to the unit of the rate {{rate}}',
    'es-us': 'no se puede convertir a la unidad de la tarifa {{rate}}',
    'fr-ca': "ne peut pas être converti dans l'unité du tarif {{rate}}",
  },
});
