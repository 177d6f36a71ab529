import { defineMessages } from '../../platform/i18n/messages.ts';

defineMessages({
  download_too_large: {
    en: 'would hold more than {{files}} files or {{megabytes}} MB',
    'es-us': 'contendría más de {{files}} archivos o {{megabytes}} MB',
    'fr-ca': 'contiendrait plus de {{files}} fichiers ou {{megabytes}} Mo',
  },
});
