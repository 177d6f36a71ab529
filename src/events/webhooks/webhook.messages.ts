import { defineMessages } from '../../platform/i18n/messages.ts';

export const webhookMessages = defineMessages({
  blank_name: {
    en: 'has only blanks: send a name, or null for none',
    'es-us': 'solo tiene espacios: envíe un nombre, o null para ninguno',
    'fr-ca': "n'a que des espaces : envoyez un nom, ou null pour aucun",
  },
  no_https_address: {
    en: 'must be an address that begins with https:// and has no user name or fragment',
    'es-us': 'debe ser una dirección que empiece con https:// y no tenga usuario ni fragmento',
    'fr-ca': "doit être une adresse qui commence par https:// et n'a ni nom d'utilisateur ni fragment",
  },
  private_address: {
    en: 'is an address of a private network',
    'es-us': 'es una dirección de una red privada',
    'fr-ca': "est une adresse d'un réseau privé",
  },
  unknown_trigger: {
    en: 'must be a topic and an event, such as Order::create',
    'es-us': 'debe ser un tema y un evento, por ejemplo Order::create',
    'fr-ca': 'doit être un sujet et un événement, par exemple Order::create',
  },
  at_least_one_trigger: {
    en: 'must name at least one trigger',
    'es-us': 'debe nombrar al menos un disparador',
    'fr-ca': 'doit nommer au moins un déclencheur',
  },
  no_header_name: {
    en: 'is not the name of a header that may be added',
    'es-us': 'no es el nombre de un encabezado que se pueda agregar',
    'fr-ca': "n'est pas le nom d'un en-tête qui peut être ajouté",
  },
  no_header_value: {
    en: 'must have one line of ASCII characters',
    'es-us': 'debe tener una sola línea de caracteres ASCII',
    'fr-ca': 'doit avoir une seule ligne de caractères ASCII',
  },
  header_named_twice: {
    en: 'is named twice',
    'es-us': 'aparece dos veces',
    'fr-ca': 'est nommé deux fois',
  },
  too_many_webhook_subscriptions: {
    en: 'are {{max}} already: delete one first',
    'es-us': 'ya son {{max}}: elimine una primero',
    'fr-ca': "sont déjà {{max}} : supprimez-en un d'abord",
  },
  webhook_rotation_is_running: {
    en: 'would end a secret that signs until {{until}}: wait for that, or send 0 to end both secrets at once',
    'es-us': 'terminaría un secreto que firma hasta {{until}}: espere, o envíe 0 para terminar ambos secretos de inmediato',
    'fr-ca': "mettrait fin à un secret qui signe jusqu'à {{until}} : attendez, ou envoyez 0 pour mettre fin aux deux secrets immédiatement",
  },
  ends_before_it_begins: {
    en: 'must be later than the beginning',
    'es-us': 'debe ser posterior al comienzo',
    'fr-ca': 'doit être après le début',
  },
  replay_begins_later: {
    en: 'lies in the future: nothing was sent since then',
    'es-us': 'está en el futuro: nada se ha enviado desde entonces',
    'fr-ca': "est dans le futur : rien n'a été envoyé depuis",
  },
  email_webhook_switched_off_subject: {
    en: 'The webhook {{subscription}} is switched off',
    'es-us': 'El webhook {{subscription}} está desactivado',
    'fr-ca': 'Le webhook {{subscription}} est désactivé',
  },
  email_webhook_failing: {
    en: 'Hello {{name}},\n\n{{url}} has taken nothing for three days. Nothing more is sent to it until you resume the webhook; what happens waits for 30 days.\n',
    'es-us':
      'Hola {{name}}:\n\n{{url}} no ha aceptado nada en tres días. No se le envía nada más hasta que usted reanude el webhook; lo que ocurra espera 30 días.\n',
    'fr-ca':
      "Bonjour {{name}},\n\n{{url}} n'a rien accepté depuis trois jours. Rien de plus ne lui est envoyé jusqu'à ce que vous repreniez le webhook; ce qui arrive attend 30 jours.\n",
  },
  email_webhook_gone: {
    en: 'Hello {{name}},\n\n{{url}} answered that it is gone (410). Nothing more is sent to it until you resume the webhook; what happens waits for 30 days.\n',
    'es-us':
      'Hola {{name}}:\n\n{{url}} respondió que ya no existe (410). No se le envía nada más hasta que usted reanude el webhook; lo que ocurra espera 30 días.\n',
    'fr-ca':
      "Bonjour {{name}},\n\n{{url}} a répondu qu'elle n'existe plus (410). Rien de plus ne lui est envoyé jusqu'à ce que vous repreniez le webhook; ce qui arrive attend 30 jours.\n",
  },
});
