import { defineMessages } from '../../platform/i18n/messages.ts';

export const passwordRulesMessages = defineMessages({
  password_too_short: {
    en: 'must have at least {{least}} characters',
    'es-us': 'debe tener al menos {{least}} caracteres',
    'fr-ca': 'doit compter au moins {{least}} caractères',
  },
  password_too_long: {
    en: 'must have at most {{most}} characters',
    'es-us': 'debe tener como máximo {{most}} caracteres',
    'fr-ca': 'doit compter au plus {{most}} caractères',
  },
  password_common: {
    en: 'is among the first that are guessed; choose another, such as a few words that do not belong together',
    'es-us': 'está entre las primeras que se adivinan; elija otra, por ejemplo varias palabras sin relación entre sí',
    'fr-ca': 'est parmi les premiers que l’on devine; choisissez-en un autre, par exemple quelques mots sans lien entre eux',
  },
  password_breached: {
    en: 'has appeared in a data breach; choose another',
    'es-us': 'ha aparecido en una filtración de datos; elija otra',
    'fr-ca': 'figure dans une fuite de données; choisissez-en un autre',
  },
});
