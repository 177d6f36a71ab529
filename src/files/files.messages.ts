import { defineMessages } from '../platform/i18n/messages.ts';

/** Errors for senders of files. */
export const filesMessages = defineMessages({
  file_type_unknown: {
    en: 'is not a JPEG, PNG, WebP, GIF or PDF',
    'es-us': 'no es un JPEG, PNG, WebP, GIF ni PDF',
    'fr-ca': "n'est ni un JPEG, ni un PNG, ni un WebP, ni un GIF, ni un PDF",
  },
  file_damaged: {
    en: 'is damaged or incomplete: save the picture anew, and send the whole file',
    'es-us': 'está dañado o incompleto: guarde la imagen de nuevo y envíe el archivo completo',
    'fr-ca': "est endommagé ou incomplet : enregistrez l'image de nouveau et envoyez le fichier entier",
  },
  pdf_cut_off: {
    en: 'is a PDF without its end (%%EOF), as after a transfer that broke off: send the whole file',
    'es-us': 'es un PDF sin su final (%%EOF), como tras una transferencia interrumpida: envíe el archivo completo',
    'fr-ca': 'est un PDF sans sa fin (%%EOF), comme après un transfert interrompu : envoyez le fichier entier',
  },
  pdf_unreadable: {
    en: 'is a PDF of which no page, or not every page, can be opened: save or print it as a PDF anew',
    'es-us': 'es un PDF del que no se puede abrir ninguna página, o no todas: guárdelo o imprímalo de nuevo como PDF',
    'fr-ca': "est un PDF dont aucune page, ou pas chaque page, ne s'ouvre : enregistrez-le ou imprimez-le de nouveau en PDF",
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
  upload_unknown: {
    en: 'is not the signed id of an upload of your company that is still to be attached',
    'es-us': 'no es el id firmado de una carga de su empresa que todavía se pueda adjuntar',
    'fr-ca': "n'est pas l'id signé d'un téléversement de votre entreprise encore à joindre",
  },
  upload_missing: {
    en: 'names an upload whose bytes have not arrived',
    'es-us': 'nombra una carga cuyos bytes no han llegado',
    'fr-ca': 'désigne un téléversement dont les octets ne sont pas arrivés',
  },
  upload_size: {
    en: 'is not what arrived: {{bytes}} bytes',
    'es-us': 'no es lo que llegó: {{bytes}} bytes',
    'fr-ca': 'ne correspond pas à ce qui est arrivé : {{bytes}} octets',
  },
  upload_checksum: {
    en: 'is not the MD5 of what arrived',
    'es-us': 'no es el MD5 de lo que llegó',
    'fr-ca': "n'est pas le MD5 de ce qui est arrivé",
  },
  upload_type: {
    en: 'is not what arrived: {{type}}',
    'es-us': 'no es lo que llegó: {{type}}',
    'fr-ca': 'ne correspond pas à ce qui est arrivé : {{type}}',
  },
  checksum_malformed: {
    en: 'is not a base64 MD5',
    'es-us': 'no es un MD5 en base64',
    'fr-ca': "n'est pas un MD5 en base64",
  },
  form_malformed: {
    en: 'the multipart form cannot be read',
    'es-us': 'no se puede leer el formulario multipart',
    'fr-ca': 'le formulaire multipart est illisible',
  },
});
