import { defineMessages } from './messages.ts';

/** Messages of REST and GraphQL about a request as such. */
export const platformMessages = defineMessages({
  invalid_read_position: {
    en: 'is not a position that an answer contained',
    'es-us': 'no es una posición que haya indicado una respuesta',
    'fr-ca': "n'est pas une position qu'une réponse a indiquée",
  },
  permission_missing: {
    en: 'is a permission you do not have',
    'es-us': 'es un permiso que usted no tiene',
    'fr-ca': "est une permission que vous n'avez pas",
  },
  permission_for_own_records: {
    en: 'is a permission you have for your own records only',
    'es-us': 'es un permiso que usted tiene solo para sus propios registros',
    'fr-ca': "est une permission que vous n'avez que pour vos propres dossiers",
  },
  permission_before_acceptance: {
    en: 'is a permission you do not have, and the order is past the states you may change it in',
    'es-us': 'es un permiso que usted no tiene, y el pedido ya pasó los estados en que usted puede cambiarlo',
    'fr-ca': "est une permission que vous n'avez pas, et la commande a dépassé les états où vous pouvez la modifier",
  },
  role_missing: {
    en: 'is a role that you do not have',
    'es-us': 'es un rol que usted no tiene',
    'fr-ca': "est un rôle que vous n'avez pas",
  },
  permission_of_customer: {
    en: 'is a permission of the company of the customer',
    'es-us': 'es un permiso de la empresa del cliente',
    'fr-ca': "est une permission de l'entreprise du client",
  },
  permission_of_owning_company: {
    en: 'is a permission of the company that this record belongs to',
    'es-us': 'es un permiso de la empresa a la que pertenece este registro',
    'fr-ca': "est une permission de l'entreprise à laquelle appartient ce dossier",
  },
  permission_beyond_sites: {
    en: 'is a permission that reaches beyond the sites you are limited to',
    'es-us': 'es un permiso que va más allá de los sitios a los que usted está limitado',
    'fr-ca': 'est une permission qui va au-delà des sites auxquels vous êtes limité',
  },
  permission_of_theirs: {
    en: 'is a permission that this person has and you do not: to change how somebody signs in, you need all permissions that they have',
    'es-us':
      'es un permiso que esta persona tiene y usted no: para cambiar cómo inicia sesión alguien, necesita todos los permisos que tiene',
    'fr-ca':
      "est une permission que cette personne a et que vous n'avez pas : pour changer la façon dont quelqu'un ouvre une session, il faut toutes ses permissions",
  },
  permission_of_people: {
    en: 'is a permission that people who would sign in this way have and you do not: to set up an identity provider, you need all permissions that they have',
    'es-us':
      'es un permiso que tienen personas que entrarían de esta forma y usted no: para configurar un proveedor de identidad, necesita todos los permisos que tienen',
    'fr-ca':
      "est une permission qu'ont des personnes qui se connecteraient ainsi et que vous n'avez pas : pour configurer un fournisseur d'identité, il faut toutes leurs permissions",
  },
  permission_of_persons_only: {
    en: 'is a permission that a machine client cannot use for this: only a person can set up an identity provider',
    'es-us': 'es un permiso que un cliente de máquina no puede usar para esto: solo una persona puede configurar un proveedor de identidad',
    'fr-ca':
      "est une permission qu'un client machine ne peut pas utiliser pour cela : seule une personne peut configurer un fournisseur d'identité",
  },
  required: { en: 'is required', 'es-us': 'es obligatorio', 'fr-ca': 'est obligatoire' },
  null_where_required: {
    en: 'has a null where a value is required',
    'es-us': 'tiene un null donde se requiere un valor',
    'fr-ca': 'a un null là où une valeur est obligatoire',
  },
  unknown_field: { en: 'is not a known field', 'es-us': 'no es un campo conocido', 'fr-ca': "n'est pas un champ connu" },
  read_only: {
    en: 'cannot be set, the product fills it in',
    'es-us': 'no se puede indicar, el producto lo completa',
    'fr-ca': 'ne peut pas être indiqué, le produit le remplit',
  },
  unknown_parameter: {
    en: 'is not a known query parameter',
    'es-us': 'no es un parámetro de consulta conocido',
    'fr-ca': "n'est pas un paramètre de requête connu",
  },
  parameter_empty: { en: 'is given without a value', 'es-us': 'no tiene valor', 'fr-ca': "n'a pas de valeur" },
  given_twice: { en: 'is given more than once', 'es-us': 'aparece más de una vez', 'fr-ca': "est donné plus d'une fois" },
  form_text_not_utf8: {
    en: 'is not UTF-8, so that letters would be lost: send the form as UTF-8',
    'es-us': 'no está en UTF-8, de modo que se perderían letras: envíe el formulario en UTF-8',
    'fr-ca': "n'est pas en UTF-8, de sorte que des lettres seraient perdues : envoyez le formulaire en UTF-8",
  },
  wrong_type: { en: 'has the wrong type', 'es-us': 'tiene un tipo incorrecto', 'fr-ca': "n'est pas du bon type" },
  not_a_string: { en: 'is not a text', 'es-us': 'no es un texto', 'fr-ca': "n'est pas un texte" },
  not_an_integer: { en: 'is not a whole number', 'es-us': 'no es un número entero', 'fr-ca': "n'est pas un nombre entier" },
  not_a_number: { en: 'is not a number', 'es-us': 'no es un número', 'fr-ca': "n'est pas un nombre" },
  not_a_boolean: { en: 'is neither true nor false', 'es-us': 'no es verdadero ni falso', 'fr-ca': "n'est ni vrai ni faux" },
  not_a_uuid: { en: 'is not a UUID', 'es-us': 'no es un UUID', 'fr-ca': "n'est pas un UUID" },
  not_a_list: { en: 'is not a list', 'es-us': 'no es una lista', 'fr-ca': "n'est pas une liste" },
  not_an_object: { en: 'is not an object', 'es-us': 'no es un objeto', 'fr-ca': "n'est pas un objet" },
  not_one_of: { en: 'must be one of {{values}}', 'es-us': 'debe ser uno de {{values}}', 'fr-ca': "doit être l'un de {{values}}" },
  at_least: { en: 'must be at least {{min}}', 'es-us': 'debe ser como mínimo {{min}}', 'fr-ca': "doit être d'au moins {{min}}" },
  at_most: { en: 'must be at most {{max}}', 'es-us': 'debe ser como máximo {{max}}', 'fr-ca': "doit être d'au plus {{max}}" },
  out_of_range: {
    en: 'must be between {{min}} and {{max}}',
    'es-us': 'debe estar entre {{min}} y {{max}}',
    'fr-ca': 'doit être compris entre {{min}} et {{max}}',
  },
  too_many_decimals: {
    en: 'has more than {{max}} decimals',
    'es-us': 'tiene más de {{max}} decimales',
    'fr-ca': 'a plus de {{max}} décimales',
  },
  wrong_length: {
    en: 'must have a length between {{min}} and {{max}}',
    'es-us': 'debe tener una longitud de entre {{min}} y {{max}}',
    'fr-ca': 'doit avoir une longueur comprise entre {{min}} et {{max}}',
  },
  too_many_items: {
    en: 'has more than {{max}} elements',
    'es-us': 'tiene más de {{max}} elementos',
    'fr-ca': 'compte plus de {{max}} éléments',
  },
  unstorable_text: {
    en: 'contains characters that cannot be stored (NUL or half of a surrogate pair)',
    'es-us': 'contiene caracteres que no se pueden guardar (NUL o la mitad de un par sustituto)',
    'fr-ca': 'contient des caractères impossibles à enregistrer (NUL ou une demi-paire de substitution)',
  },
  body_not_utf8: { en: 'the body is not UTF-8', 'es-us': 'el cuerpo no es UTF-8', 'fr-ca': "le corps n'est pas en UTF-8" },
  body_not_utf8_at: {
    en: 'the body is not UTF-8: see line {{line}}',
    'es-us': 'el cuerpo no es UTF-8: vea la línea {{line}}',
    'fr-ca': "le corps n'est pas en UTF-8 : voir la ligne {{line}}",
  },
  parameter_not_json: { en: 'is not JSON', 'es-us': 'no es JSON', 'fr-ca': "n'est pas du JSON" },
  body_not_json: { en: 'the body is not JSON', 'es-us': 'el cuerpo no es JSON', 'fr-ca': "le corps n'est pas du JSON" },
  body_not_json_at: {
    en: 'the body is not JSON: see line {{line}}, character {{column}}',
    'es-us': 'el cuerpo no es JSON: vea la línea {{line}}, carácter {{column}}',
    'fr-ca': "le corps n'est pas du JSON : voir la ligne {{line}}, caractère {{column}}",
  },
  body_not_object: {
    en: 'the body is not a JSON object',
    'es-us': 'el cuerpo no es un objeto JSON',
    'fr-ca': "le corps n'est pas un objet JSON",
  },
  body_too_deep: {
    en: 'the body is nested deeper than {{depth}} levels',
    'es-us': 'el cuerpo tiene más de {{depth}} niveles de anidamiento',
    'fr-ca': 'le corps compte plus de {{depth}} niveaux imbriqués',
  },
  body_incomplete: {
    en: 'the body ended before it was complete',
    'es-us': 'el cuerpo terminó antes de estar completo',
    'fr-ca': "le corps s'est terminé avant d'être complet",
  },
  nothing_to_match: {
    en: 'has nothing to be compared with, because what is changed here has no answer with an ETag: leave it out',
    'es-us': 'no tiene con qué compararse, porque lo que se cambia aquí no tiene una respuesta con ETag: omítalo',
    'fr-ca': "n'a rien à quoi être comparé, car ce qui est modifié ici n'a pas de réponse avec un ETag : omettez-le",
  },
  idempotency_key_malformed: {
    en: 'must be 1 to 255 visible ASCII characters',
    'es-us': 'debe tener de 1 a 255 caracteres ASCII visibles',
    'fr-ca': 'doit compter de 1 à 255 caractères ASCII visibles',
  },
  idempotency_key_reused: {
    en: 'was used before for a different request',
    'es-us': 'ya se usó para una solicitud diferente',
    'fr-ca': 'a déjà servi pour une autre requête',
  },
  idempotency_in_progress: {
    en: 'belongs to a request that is still being processed',
    'es-us': 'pertenece a una solicitud que todavía se está procesando',
    'fr-ca': 'appartient à une requête encore en cours de traitement',
  },
});
