import { defineMessages } from '../../platform/i18n/messages.ts';

export const masterDataMessages = defineMessages({
  built_in_record: {
    en: 'is built in and cannot be deleted',
    'es-us': 'está integrado y no se puede eliminar',
    'fr-ca': 'est intégré et ne peut être supprimé',
  },
  state_already: {
    en: 'is {{state}} already',
    'es-us': 'ya está {{state}}',
    'fr-ca': 'est déjà {{state}}',
  },
  other_company: {
    en: 'is not the company of the path',
    'es-us': 'no es la empresa de la ruta',
    'fr-ca': "n'est pas la société du chemin",
  },
  not_a_color: {
    en: 'is not a color such as #336699',
    'en-ca': 'is not a colour such as #336699',
    'es-us': 'no es un color como #336699',
    'fr-ca': "n'est pas une couleur comme #336699",
  },
  built_in_name: {
    en: 'is the name of a built-in record, which cannot be changed',
    'es-us': 'es el nombre de un registro integrado, que no cambia',
    'fr-ca': "est le nom d'un enregistrement intégré, qui ne change pas",
  },
  unit_twice: {
    en: 'is the unit of another capacity of this type',
    'es-us': 'es la unidad de otra capacidad de este tipo',
    'fr-ca': "est l'unité d'une autre capacité de ce type",
  },
  share_of_other: {
    en: 'is not shared by the company of this account',
    'es-us': 'no lo comparte la empresa de esta cuenta',
    'fr-ca': "n'est pas partagé par la société de ce compte",
  },
});
