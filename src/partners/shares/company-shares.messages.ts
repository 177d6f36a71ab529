import { defineMessages } from '../../platform/i18n/messages.ts';
import '../accounts/account.messages.ts';

/** Words of sharing. */
defineMessages({
  shared_already: {
    en: 'is shared with this company already',
    'es-us': 'ya se comparte con esta empresa',
    'fr-ca': 'est déjà partagé avec cette entreprise',
  },
  shares_it_already: {
    en: 'is where it comes from',
    'es-us': 'es de donde procede',
    'fr-ca': "est d'où il provient",
  },
  in_the_past: { en: 'lies in the past', 'es-us': 'está en el pasado', 'fr-ca': 'se situe dans le passé' },
  not_dispatchable: {
    en: 'may not be planned with: its owner did not share it for that',
    'es-us': 'no se puede planificar: su dueño no lo compartió para eso',
    'fr-ca': "ne peut pas être planifié : son propriétaire ne l'a pas partagé pour cela",
  },
  hauls_nothing: {
    en: 'is neither a driver nor a foreman: those alone are shared',
    'es-us': 'no es conductor ni capataz: solo ellos se comparten',
    'fr-ca': "n'est ni chauffeur ni contremaître : eux seuls se partagent",
  },
  only_sender: {
    en: 'is changed by the company that shares it',
    'es-us': 'lo cambia la empresa que lo comparte',
    'fr-ca': "est modifié par l'entreprise qui le partage",
  },
  only_receiver: {
    en: 'is changed by the company it is shared with',
    'es-us': 'lo cambia la empresa con la que se comparte',
    'fr-ca': "est modifié par l'entreprise avec laquelle il est partagé",
  },
  people_only: { en: 'is only for people', 'es-us': 'es solo para personas', 'fr-ca': 'ne vaut que pour les personnes' },
  between_alone: {
    en: 'cannot be combined with sender_company_id or receiver_company_id',
    'es-us': 'no se puede combinar con sender_company_id ni receiver_company_id',
    'fr-ca': 'ne se combine ni avec sender_company_id ni avec receiver_company_id',
  },
});
