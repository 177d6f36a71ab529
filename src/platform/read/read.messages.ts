import { defineMessages } from '../i18n/messages.ts';

export const readMessages = defineMessages({
  invalid_cursor: {
    en: 'is not a cursor of this list',
    'es-us': 'no es un cursor de esta lista',
    'fr-ca': "n'est pas un curseur de cette liste",
  },
  page_limit_range: {
    en: 'must be from {{min}} to {{max}}',
    'es-us': 'debe estar entre {{min}} y {{max}}',
    'fr-ca': 'doit être de {{min}} à {{max}}',
  },
  first_and_last: {
    en: 'cannot be given together with `first`',
    'es-us': 'no se puede dar junto con `first`',
    'fr-ca': 'ne peut pas être donné avec `first`',
  },
  filter_too_large: {
    en: 'has more than {{conditions}} conditions',
    'es-us': 'tiene más de {{conditions}} condiciones',
    'fr-ca': 'compte plus de {{conditions}} conditions',
  },
  too_many_words: {
    en: 'has more than {{max}} words',
    'es-us': 'tiene más de {{max}} palabras',
    'fr-ca': 'compte plus de {{max}} mots',
  },
  word_too_long: {
    en: 'has a word of more than {{max}} letters',
    'es-us': 'tiene una palabra de más de {{max}} letras',
    'fr-ca': 'contient un mot de plus de {{max}} lettres',
  },
  not_searchable: {
    en: 'cannot be searched in this list',
    'es-us': 'no se puede buscar en esta lista',
    'fr-ca': 'ne peut pas être cherché dans cette liste',
  },
});
