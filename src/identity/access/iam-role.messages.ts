import { defineMessages } from '../../platform/i18n/messages.ts';

export const iamRoleMessages = defineMessages({
  role_built_in: {
    en: 'is built in and cannot be changed',
    'es-us': 'es un rol integrado y no se puede cambiar',
    'fr-ca': 'est un rôle intégré et ne peut être modifié',
  },
  role_in_use: {
    en: 'is still given to people: {{count}}',
    'es-us': 'aún está asignado a personas: {{count}}',
    'fr-ca': 'est encore attribué à des personnes : {{count}}',
  },
  unknown_permission: {
    en: 'is no permission',
    'es-us': 'no es un permiso',
    'fr-ca': "n'est pas une permission",
  },
  permission_not_yours: {
    en: 'includes what you may not do yourself: {{permissions}}',
    'es-us': 'incluye lo que usted mismo no puede hacer: {{permissions}}',
    'fr-ca': 'comprend ce que vous ne pouvez pas faire vous-même : {{permissions}}',
  },
});
