import { defineMessages } from '../../platform/i18n/messages.ts';

/** Words of sharing. */
export const companySharesMessages = defineMessages({
  shared_already: {
    en: 'is shared with this company already',
    'es-us': 'ya se comparte con esta empresa',
    'fr-ca': 'est déjà partagé avec cette entreprise',
  },
  shares_it_already: {
    en: 'is a company from which the record came to you',
    'es-us': 'es una empresa de la que le llegó el registro',
    'fr-ca': "est une entreprise d'où l'enregistrement vous est venu",
  },
  in_the_past: { en: 'lies in the past', 'es-us': 'está en el pasado', 'fr-ca': 'se situe dans le passé' },
  not_dispatchable: {
    en: 'is shared only to be seen; the company that shares it must allow others to assign it to work',
    'es-us': 'se comparte solo para verlo; la empresa que lo comparte debe permitir que otras lo asignen a trabajos',
    'fr-ca': "est partagé seulement pour être vu; l'entreprise qui le partage doit permettre à d'autres de l'affecter à des travaux",
  },
  hauls_nothing: {
    en: 'is neither a driver nor a foreman; of people, only these can be shared',
    'es-us': 'no es conductor ni capataz; de las personas, solo ellos se pueden compartir',
    'fr-ca': "n'est ni chauffeur ni contremaître; parmi les personnes, eux seuls peuvent être partagés",
  },
  only_sender: {
    en: 'can be changed only by the company that shares the record',
    'es-us': 'solo lo puede cambiar la empresa que comparte el registro',
    'fr-ca': "ne peut être modifié que par l'entreprise qui partage l'enregistrement",
  },
  only_receiver: {
    en: 'can be changed only by the company that the record is shared with',
    'es-us': 'solo lo puede cambiar la empresa con la que se comparte el registro',
    'fr-ca': "ne peut être modifié que par l'entreprise avec laquelle l'enregistrement est partagé",
  },
  people_only: { en: 'is only for people', 'es-us': 'es solo para personas', 'fr-ca': 'ne vaut que pour les personnes' },
  between_alone: {
    en: 'cannot be combined with sender_company_id or receiver_company_id',
    'es-us': 'no se puede combinar con sender_company_id ni receiver_company_id',
    'fr-ca': 'ne se combine ni avec sender_company_id ni avec receiver_company_id',
  },
});
