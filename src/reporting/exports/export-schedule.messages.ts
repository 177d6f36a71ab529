import { defineMessages } from '../../platform/i18n/messages.ts';

export const exportScheduleMessages = defineMessages({
  export_list_unknown: {
    en: 'is no list of a company, such as orders or metrics',
    'es-us': 'no es una lista de una empresa, como orders o metrics',
    'fr-ca': "n'est pas une liste d'une entreprise, comme orders ou metrics",
  },
  export_query: {
    en: 'is refused by the list: {{problem}}',
    'es-us': 'es rechazada por la lista: {{problem}}',
    'fr-ca': 'est refusée par la liste : {{problem}}',
  },
  export_without_page: {
    en: 'cannot be given: all of the list is exported',
    'es-us': 'no se puede indicar: se exporta toda la lista',
    'fr-ca': 'ne peut pas être donné : toute la liste est exportée',
  },
  export_bucket: {
    en: 'is not a name of S3, such as my-bucket or us-east-1',
    'es-us': 'no es un nombre de S3, como my-bucket o us-east-1',
    'fr-ca': "n'est pas un nom de S3, comme my-bucket ou us-east-1",
  },
  export_prefix: {
    en: 'is not the beginning of a name, such as haulgate/orders/',
    'es-us': 'no es el comienzo de un nombre, como haulgate/orders/',
    'fr-ca': "n'est pas le début d'un nom, comme haulgate/orders/",
  },
  export_time: {
    en: 'is not a time such as 06:30',
    'es-us': 'no es una hora como 06:30',
    'fr-ca': "n'est pas une heure comme 06:30",
  },
  export_weekday_of_daily: {
    en: 'is of a weekly schedule: leave it out of a daily one',
    'es-us': 'es de una programación semanal: no lo indique en una diaria',
    'fr-ca': "est d'une planification hebdomadaire : ne l'indiquez pas pour une quotidienne",
  },
  too_many_export_schedules: {
    en: 'are {{max}} already: delete one first',
    'es-us': 'ya son {{max}}: elimine uno primero',
    'fr-ca': "sont déjà {{max}} : supprimez-en un d'abord",
  },
  export_mail_text: {
    en: '{{file}} has the {{count}} records of {{company}} that are due on {{day}}.',
    'es-us': '{{file}} contiene los {{count}} registros de {{company}} correspondientes al {{day}}.',
    'fr-ca': '{{file}} contient les {{count}} enregistrements de {{company}} prévus pour le {{day}}.',
  },
  export_stored_text: {
    en: '{{file}} has the {{count}} records of {{company}} that are due on {{day}}. It has {{size}} MB, which is more than is mailed ({{max}} MB). It lies in the bucket {{bucket}} as {{place}}.',
    'es-us':
      '{{file}} contiene los {{count}} registros de {{company}} correspondientes al {{day}}. Tiene {{size}} MB, más de lo que se envía por correo ({{max}} MB). Está en el contenedor {{bucket}} como {{place}}.',
    'fr-ca':
      '{{file}} contient les {{count}} enregistrements de {{company}} prévus pour le {{day}}. Il fait {{size}} Mo, plus que ce qui est envoyé par courriel ({{max}} Mo). Il se trouve dans le compartiment {{bucket}} sous {{place}}.',
  },
  export_archived: {
    en: 'The list is complete since {{before}}. What is older is archived, and the operator can read it back.',
    'es-us': 'La lista está completa desde el {{before}}. Lo anterior está archivado, y el operador puede recuperarlo.',
    'fr-ca': "La liste est complète depuis le {{before}}. Ce qui précède est archivé, et l'exploitant peut le restaurer.",
  },
  export_failed_subject: {
    en: '{{name}}: nothing was sent',
    'es-us': '{{name}}: no se envió nada',
    'fr-ca': "{{name}} : rien n'a été envoyé",
  },
  export_ended_author_gone: {
    en: 'The export "{{name}}" of {{company}} has ended, because {{author}}, whose permissions it had, is not there any more. Somebody else can take it over by changing it.',
    'es-us':
      'La exportación «{{name}}» de {{company}} ha terminado porque {{author}}, cuyos permisos tenía, ya no está. Otra persona puede asumirla al modificarla.',
    'fr-ca':
      "L'exportation « {{name}} » de {{company}} est terminée, car {{author}}, dont elle avait les permissions, n'est plus là. Quelqu'un d'autre peut la reprendre en la modifiant.",
  },
  export_ended_not_permitted: {
    en: 'The export "{{name}}" of {{company}} has ended, because {{author}}, whose permissions it had, may not read this list any more. Somebody else can take it over by changing it.',
    'es-us':
      'La exportación «{{name}}» de {{company}} ha terminado porque {{author}}, cuyos permisos tenía, ya no puede leer esta lista. Otra persona puede asumirla al modificarla.',
    'fr-ca':
      "L'exportation « {{name}} » de {{company}} est terminée, car {{author}}, dont elle avait les permissions, ne peut plus lire cette liste. Quelqu'un d'autre peut la reprendre en la modifiant.",
  },
  export_ended_not_valid: {
    en: 'The export "{{name}}" of {{company}} has ended, because the list refuses its filters now. Change them, and it goes on.',
    'es-us': 'La exportación «{{name}}» de {{company}} ha terminado porque la lista ahora rechaza sus filtros. Modifíquelos y continuará.',
    'fr-ca':
      "L'exportation « {{name}} » de {{company}} est terminée, car la liste refuse maintenant ses filtres. Modifiez-les et elle reprendra.",
  },
  export_ended_deleted: {
    en: 'The export "{{name}}" of {{company}} was deleted before its turn came.',
    'es-us': 'La exportación «{{name}}» de {{company}} se eliminó antes de que llegara su turno.',
    'fr-ca': "L'exportation « {{name}} » de {{company}} a été supprimée avant que vienne son tour.",
  },
  export_too_many: {
    en: 'A company has at most {{max}} exports in 24 hours, and has had them.',
    'es-us': 'Una empresa tiene como máximo {{max}} exportaciones en 24 horas, y ya las ha tenido.',
    'fr-ca': 'Une entreprise a au plus {{max}} exportations en 24 heures, et elle les a eues.',
  },
  export_failed: {
    en: 'The export "{{name}}" of {{company}} could not be made or sent: it failed {{tries}} times. The next one is made when it is due.',
    'es-us':
      'La exportación «{{name}}» de {{company}} no se pudo crear o enviar: falló {{tries}} veces. La próxima se hará cuando corresponda.',
    'fr-ca':
      "L'exportation « {{name}} » de {{company}} n'a pas pu être faite ou envoyée : elle a échoué {{tries}} fois. La prochaine sera faite à son heure.",
  },
  export_secret_anew: {
    en: 'is required: the one that is kept is for another bucket, service or access key',
    'es-us': 'es obligatoria: la guardada es para otro contenedor, servicio o clave de acceso',
    'fr-ca': "est requise : celle qui est conservée est pour un autre compartiment, service ou clé d'accès",
  },
  export_storage_refused: {
    en: 'The export "{{name}}" of {{company}} could not be put into the storage: {{problem}}.',
    'es-us': 'La exportación «{{name}}» de {{company}} no se pudo guardar en el almacenamiento: {{problem}}.',
    'fr-ca': "L'exportation « {{name}} » de {{company}} n'a pas pu être placée dans le stockage : {{problem}}.",
  },
  export_too_large: {
    en: 'The export "{{name}}" of {{company}} is larger than it may be ({{max}} MB). Narrow its filters, or read the list with a program.',
    'es-us':
      'La exportación «{{name}}» de {{company}} es mayor de lo permitido ({{max}} MB). Restrinja sus filtros o lea la lista con un programa.',
    'fr-ca':
      "L'exportation « {{name}} » de {{company}} dépasse la taille permise ({{max}} Mo). Resserrez ses filtres ou lisez la liste avec un programme.",
  },
});
