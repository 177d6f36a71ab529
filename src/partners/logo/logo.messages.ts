import { defineMessages } from '../../platform/i18n/messages.ts';

export const logoMessages = defineMessages({
  no_image: {
    en: 'is not a JPEG, PNG, WebP or GIF',
    'es-us': 'no es un JPEG, PNG, WebP ni GIF',
    'fr-ca': "n'est ni un JPEG, ni un PNG, ni un WebP, ni un GIF",
  },
  not_base64: {
    en: 'is neither an uploaded image nor base64',
    'es-us': 'no es ni una imagen cargada ni base64',
    'fr-ca': "n'est ni une image téléversée ni du base64",
  },
});
