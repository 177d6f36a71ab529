import { defineMessages } from '../../platform/i18n/messages.ts';

export const machineClientMessages = defineMessages({
  permission_you_lack: {
    en: 'is a permission that you do not have yourself',
    'es-us': 'es un permiso que usted no tiene',
    'fr-ca': "est une permission que vous n'avez pas vous-même",
  },
  at_least_one_scope: {
    en: 'must name at least one permission',
    'es-us': 'debe nombrar al menos un permiso',
    'fr-ca': 'doit nommer au moins une permission',
  },
  unknown_audience: {
    en: 'is not an audience of this installation',
    'es-us': 'no es un destinatario de esta instalación',
    'fr-ca': "n'est pas un destinataire de cette installation",
  },
  longer_than_installation: {
    en: 'must not be more than {{max}}, which is the limit of this installation',
    'es-us': 'no debe ser mayor que {{max}}, el límite de esta instalación',
    'fr-ca': 'ne doit pas dépasser {{max}}, la limite de cette installation',
  },
  no_external_issuer: {
    en: 'can be set only if an identity provider of your own is configured',
    'es-us': 'solo es posible si hay configurado un proveedor de identidad propio',
    'fr-ca': "n'est possible que si un fournisseur d'identité à vous est configuré",
  },
  client_is_revoked: {
    en: 'is revoked and cannot be changed',
    'es-us': 'está revocado y no se puede cambiar',
    'fr-ca': 'est révoqué et ne peut pas être modifié',
  },
  rotation_is_running: {
    en: 'has two secrets already: end the old one first, or rotate with an overlap of 0 seconds',
    'es-us': 'ya tiene dos secretos: termine primero el anterior o rote con 0 segundos de coincidencia',
    'fr-ca': "a déjà deux secrets : mettez d'abord fin à l'ancien, ou faites la rotation avec un chevauchement de 0 seconde",
  },
});
