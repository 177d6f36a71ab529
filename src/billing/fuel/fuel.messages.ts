import { defineMessages } from '../../platform/i18n/messages.ts';

export const fuelMessages = defineMessages({
  no_source_of_fuel_prices: {
    en: 'cannot be set: this installation has no source of fuel prices',
    'es-us': 'no se puede indicar: esta instalación no tiene una fuente de precios de combustible',
    'fr-ca': 'ne peut pas être indiquée : cette installation n’a pas de source de prix du carburant',
  },
  not_a_series: {
    en: 'is no name of a series, such as EMD_EPD2D_PTE_NUS_DPG',
    'es-us': 'no es el nombre de una serie, como EMD_EPD2D_PTE_NUS_DPG',
    'fr-ca': 'n’est pas le nom d’une série, comme EMD_EPD2D_PTE_NUS_DPG',
  },
  too_far_ahead: {
    en: 'is more than {{most}} days ahead',
    'es-us': 'está a más de {{most}} días',
    'fr-ca': 'est dans plus de {{most}} jours',
  },
  in_use: {
    en: 'is still used elsewhere ({{count}})',
    'es-us': 'todavía se usa en otros registros ({{count}})',
    'fr-ca': 'est encore utilisé ailleurs ({{count}})',
  },
  differs_from_bill_surcharge: {
    en: 'differs from bill_surcharge; leave one of them out',
    'es-us': 'difiere de bill_surcharge; omita uno de los dos',
    'fr-ca': 'diffère de bill_surcharge; omettez l’un des deux',
  },
  only_of_percentages: {
    en: 'is for schedules by percentage only',
    'es-us': 'es solo para tablas por porcentaje',
    'fr-ca': 'n’est que pour les barèmes en pourcentage',
  },
  per_step_or_miles: {
    en: 'is wrong: exactly one of per_step and miles_per_gallon is needed',
    'es-us': 'no es correcto: se necesita exactamente uno de per_step y miles_per_gallon',
    'fr-ca': 'est incorrect : il faut exactement un de per_step et miles_per_gallon',
  },
  only_of_per_unit: {
    en: 'is for schedules by unit only',
    'es-us': 'es solo para tablas por unidad',
    'fr-ca': 'n’est que pour les barèmes par unité',
  },
  below_from: {
    en: 'is below the price of the first row',
    'es-us': 'está por debajo del precio de la primera fila',
    'fr-ca': 'est inférieur au prix de la première ligne',
  },
  schedule_has_rows: {
    en: 'must be true: the schedule has rows already ({{count}})',
    'es-us': 'debe ser true: la tabla ya tiene filas ({{count}})',
    'fr-ca': 'doit être true : le barème a déjà des lignes ({{count}})',
  },
  too_many_rows: {
    en: 'gives {{count}} rows; there may be {{max}}',
    'es-us': 'da {{count}} filas; puede haber {{max}}',
    'fr-ca': 'donne {{count}} lignes; il peut y en avoir {{max}}',
  },
  surcharge_out_of_range: {
    en: 'has a surcharge that is not between {{min}} and {{max}}',
    'es-us': 'tiene un recargo que no está entre {{min}} y {{max}}',
    'fr-ca': 'a un supplément qui n’est pas compris entre {{min}} et {{max}}',
  },
  only_of_fuel_surcharge: {
    en: 'is for add-ons of the type FuelSurcharge only',
    'es-us': 'es solo para cargos del tipo FuelSurcharge',
    'fr-ca': 'n’est que pour les suppléments du type FuelSurcharge',
  },
  no_fuel_surcharge: {
    en: 'is no add-on of the type FuelSurcharge with a schedule',
    'es-us': 'no es un cargo del tipo FuelSurcharge con una tabla',
    'fr-ca': "n'est pas un supplément du type FuelSurcharge avec un barème",
  },
});
