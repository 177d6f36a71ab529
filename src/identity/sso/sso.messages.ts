import { defineMessages } from '../../platform/i18n/messages.ts';

/** Words of identity providers. */
export const ssoMessages = defineMessages({
  not_an_email: {
    en: 'is not an e-mail address',
    'es-us': 'no es una dirección de correo electrónico',
    'fr-ca': "n'est pas une adresse courriel",
  },
  not_an_https_url: {
    en: 'must be a URL that starts with https:// and names no user or fragment',
    'es-us': 'debe ser una URL que empiece con https:// y no incluya usuario ni fragmento',
    'fr-ca': 'doit être une URL qui commence par https:// et ne nomme ni utilisateur ni fragment',
  },
  not_a_domain: {
    en: '{{domain}} is not a domain name',
    'es-us': '{{domain}} no es un nombre de dominio',
    'fr-ca': "{{domain}} n'est pas un nom de domaine",
  },
  domain_of_everybody: {
    en: '{{domain}} belongs to a mail provider, not to a company',
    'es-us': '{{domain}} pertenece a un proveedor de correo, no a una empresa',
    'fr-ca': '{{domain}} appartient à un fournisseur de courriel et non à une entreprise',
  },
  domain_not_proven: {
    en: '{{domain}} has no TXT record {{record}}; new records may take a while to be seen everywhere',
    'es-us': '{{domain}} no tiene un registro TXT {{record}}; los registros nuevos pueden tardar en verse en todas partes',
    'fr-ca': "{{domain}} n'a pas d'enregistrement TXT {{record}}; un nouvel enregistrement peut mettre du temps à être vu partout",
  },
  domain_unreachable: {
    en: 'the name servers of {{domain}} did not answer; try again later',
    'es-us': 'los servidores de nombres de {{domain}} no respondieron; inténtelo más tarde',
    'fr-ca': "les serveurs de noms de {{domain}} n'ont pas répondu; réessayez plus tard",
  },
  not_a_certificate: {
    en: 'is not an X.509 certificate in PEM with an RSA key of 2048 bits or more, or an elliptic curve key',
    'es-us': 'no es un certificado X.509 en PEM con una clave RSA de 2048 bits o más, o una clave de curva elíptica',
    'fr-ca': "n'est pas un certificat X.509 en PEM avec une clé RSA d'au moins 2048 bits ou une clé à courbe elliptique",
  },
  no_provider_yet: {
    en: 'cannot be only sso: no identity provider of the company or of one above it is ready and has a proven domain, so nobody could sign in',
    'es-us':
      'no puede ser solo sso: ningún proveedor de identidad de la empresa o de una superior está listo y tiene un dominio verificado, así que nadie podría iniciar sesión',
    'fr-ca':
      "ne peut pas être sso seulement : aucun fournisseur d'identité de l'entreprise ou d'une entreprise mère n'est prêt avec un domaine vérifié, donc personne ne pourrait se connecter",
  },
  platform_needs_another_way: {
    en: 'cannot be only sso: the company has a platform administrator, and no identity provider can sign one in',
    'es-us':
      'no puede ser solo sso: la empresa tiene un administrador de la plataforma, y ningún proveedor de identidad puede darle acceso',
    'fr-ca':
      "ne peut pas être seulement sso : l'entreprise a un administrateur de la plateforme, et aucun fournisseur d'identité ne peut le connecter",
  },
  platform_needs_way_in: {
    en: 'needs another sign-in method: the company allows only sso, and no identity provider can sign in a platform administrator',
    'es-us':
      'necesita otra forma de acceso: la empresa solo permite sso, y ningún proveedor de identidad puede dar acceso a un administrador de la plataforma',
    'fr-ca':
      "exige un autre moyen de connexion : l'entreprise ne permet que sso, et aucun fournisseur d'identité ne peut connecter un administrateur de la plateforme",
  },
  last_way_in: {
    en: 'is the only way for the people of {{company}} to sign in, because the company allows only sso',
    'es-us': 'es la única forma de acceso para las personas de {{company}}, porque la empresa solo permite sso',
    'fr-ca': "est le seul moyen de connexion des personnes de {{company}}, parce que l'entreprise ne permet que sso",
  },
  only_of_kind: {
    en: 'belongs to connections of kind {{kind}}',
    'es-us': 'pertenece a conexiones de tipo {{kind}}',
    'fr-ca': 'appartient aux connexions de type {{kind}}',
  },
});
