import { defineMessages } from '../../platform/i18n/messages.ts';

/** Words of companies. */
export const companyMessages = defineMessages({
  company_circle: {
    en: 'would put the company above itself',
    'es-us': 'pondría a la empresa por encima de sí misma',
    'fr-ca': "placerait l'entreprise au-dessus d'elle-même",
  },
  archives_off: {
    en: 'needs archives, which the operator has not switched on: positions would stay for ever',
    'es-us': 'necesita archivos históricos, que el operador no ha activado: las posiciones se quedarían para siempre',
    'fr-ca': "demande des archives, que l'exploitant n'a pas activées : les positions resteraient pour toujours",
  },
  deleted_before_it_leaves: {
    en: 'must be at least {{least}}, or archives would be deleted although their records are at hand for so long',
    'es-us': 'debe ser al menos {{least}}, o los archivos históricos se eliminarían aunque los registros están disponibles ese tiempo',
    'fr-ca':
      'doit être au moins {{least}}, sinon les archives seraient supprimées alors que les enregistrements restent disponibles pendant ce temps',
  },
  not_a_platform_id: {
    en: 'must be six hexadecimal digits in upper case',
    'es-us': 'debe tener seis dígitos hexadecimales en mayúsculas',
    'fr-ca': 'doit comporter six chiffres hexadécimaux en majuscules',
  },
  not_a_time_zone: {
    en: 'is not an IANA time zone, such as America/Chicago',
    'es-us': 'no es una zona horaria IANA, como America/Chicago',
    'fr-ca': "n'est pas un fuseau horaire IANA, comme America/Toronto",
  },
  at_least_one_auth_method: {
    en: 'needs at least one of sso, password, magic_link and otp_sms, or nobody could sign in',
    'es-us': 'necesita al menos uno de sso, password, magic_link y otp_sms, o nadie podría iniciar sesión',
    'fr-ca': 'demande au moins un de sso, password, magic_link et otp_sms, sinon personne ne pourrait se connecter',
  },
});
