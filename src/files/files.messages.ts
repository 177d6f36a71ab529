import { defineMessages } from '../platform/i18n/messages.ts';

/** What senders of files are told. */
defineMessages({
  file_type_unknown: {
    en: 'is not a JPEG, PNG, WebP, GIF or PDF',
    'es-us': 'no es un JPEG, PNG, WebP, GIF ni PDF',
    'fr-ca': "n'est ni un JPEG, ni un PNG, ni un WebP, ni un GIF, ni un PDF",
  },
  file_damaged: {
    en: 'is damaged or incomplete',
    'es-us': 'está dañado o incompleto',
    'fr-ca': 'est endommagé ou incomplet',
  },
  file_empty: { en: 'is empty', 'es-us': 'está vacío', 'fr-ca': 'est vide' },
  file_too_large: {
    en: 'is larger than {{limit}} MB',
    'es-us': 'ocupa más de {{limit}} MB',
    'fr-ca': 'dépasse {{limit}} Mo',
  },
  file_not_uploaded: {
    en: 'must be an uploaded file, not a text or a URL',
    'es-us': 'debe ser un archivo cargado, no un texto ni una URL',
    'fr-ca': 'doit être un fichier téléversé, pas un texte ni une URL',
  },
  form_malformed: {
    en: 'the multipart form cannot be read',
    'es-us': 'no se puede leer el formulario multipart',
    'fr-ca': 'le formulaire multipart est illisible',
  },
});
