import { defineMessages } from '../i18n/messages.ts';

defineMessages({
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
});
