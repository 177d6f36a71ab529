import { defineMessages } from '../../platform/i18n/messages.ts';

export const downloadsMessages = defineMessages({
  download_too_large: {
    en: 'would hold more than {{files}} files or {{megabytes}} MB',
    'es-us': 'contendría más de {{files}} archivos o {{megabytes}} MB',
    'fr-ca': 'contiendrait plus de {{files}} fichiers ou {{megabytes}} Mo',
  },
  download_left_out: {
    en: 'Files that could not be included:',
    'es-us': 'Archivos que no se pudieron incluir:',
    'fr-ca': "Fichiers qui n'ont pas pu être inclus :",
  },
  download_file_locked: { en: 'asks for a password', 'es-us': 'pide una contraseña', 'fr-ca': 'exige un mot de passe' },
  download_file_damaged: { en: 'cannot be read', 'es-us': 'no se puede leer', 'fr-ca': 'est illisible' },
  download_file_too_long: {
    en: 'did not fit into this document any more',
    'es-us': 'ya no cabía en este documento',
    'fr-ca': "n'avait plus de place dans ce document",
  },
});
