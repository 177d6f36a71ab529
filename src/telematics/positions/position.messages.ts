import { defineMessages } from '../../platform/i18n/messages.ts';

export const positionMessages = defineMessages({
  in_the_future: { en: 'lies in the future', 'es-us': 'está en el futuro', 'fr-ca': 'est dans le futur' },
  named_twice: { en: 'name something twice', 'es-us': 'nombran algo dos veces', 'fr-ca': 'nomment quelque chose deux fois' },
  too_many_positions: {
    en: 'may be at most {{most}}',
    'es-us': 'pueden ser como máximo {{most}}',
    'fr-ca': 'peuvent être au plus {{most}}',
  },
});
