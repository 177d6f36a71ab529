import { defineMessages } from '../../platform/i18n/messages.ts';

export const fleetMessages = defineMessages({
  equipment_taken: {
    en: 'is already followed by {{vehicle}} of {{fleet}}',
    'es-us': 'ya lo sigue {{vehicle}} de {{fleet}}',
    'fr-ca': 'est déjà suivi par {{vehicle}} de {{fleet}}',
  },
  equipment_followed: {
    en: 'is already followed by another vehicle',
    'es-us': 'ya lo sigue otro vehículo',
    'fr-ca': 'est déjà suivi par un autre véhicule',
  },
  stays_in_fleet: {
    en: 'cannot be another one: the provider decides it',
    'es-us': 'no puede ser otra: lo decide el proveedor',
    'fr-ca': 'ne peut pas être une autre : le fournisseur en décide',
  },
  not_an_address: {
    en: 'must be the address of an https server',
    'es-us': 'debe ser la dirección de un servidor https',
    'fr-ca': "doit être l'adresse d'un serveur https",
  },
  required_with_server: {
    en: 'are required again when the server or the account changes',
    'es-us': 'se requieren de nuevo cuando cambia el servidor o la cuenta',
    'fr-ca': 'sont requis de nouveau quand le serveur ou le compte change',
  },
  only_of_provider: {
    en: 'is only of {{provider}}',
    'es-us': 'es solo de {{provider}}',
    'fr-ca': 'est seulement de {{provider}}',
  },
  polls_too_often: {
    en: 'must be at least {{least}} for this provider',
    'es-us': 'debe ser al menos {{least}} con este proveedor',
    'fr-ca': 'doit être au moins {{least}} pour ce fournisseur',
  },
  provider_refuses: {
    en: 'were tried and did not work: {{reason}}',
    'es-us': 'se probaron y no funcionaron: {{reason}}',
    'fr-ca': "ont été essayés et n'ont pas fonctionné : {{reason}}",
  },
  positions_unreadable: {
    en: 'are neither JSON nor XML with positions',
    'es-us': 'no son JSON ni XML con posiciones',
    'fr-ca': 'ne sont ni du JSON ni du XML avec des positions',
  },
  email_telematics_fleet_failing_subject: {
    en: '{{fleet}} has sent no positions for {{hours}} hours',
    'es-us': '{{fleet}} no ha enviado posiciones en {{hours}} horas',
    'fr-ca': "{{fleet}} n'a envoyé aucune position depuis {{hours}} heures",
  },
  email_telematics_fleet_failing: {
    en: 'Hello {{name}},\n\nHaulgate has not been able to read the positions of {{fleet}} for {{hours}} hours:\n\n{{reason}}\n\nIt tries again every hour. If the credentials have changed, set them anew where the fleet is connected.\n',
    'es-us':
      'Hola, {{name}}:\n\nHaulgate no ha podido leer las posiciones de {{fleet}} durante {{hours}} horas:\n\n{{reason}}\n\nLo intenta de nuevo cada hora. Si las credenciales han cambiado, indíquelas de nuevo donde está conectada la flota.\n',
    'fr-ca':
      "Bonjour {{name}},\n\nHaulgate n'arrive pas à lire les positions de {{fleet}} depuis {{hours}} heures :\n\n{{reason}}\n\nUne nouvelle tentative a lieu chaque heure. Si les identifiants ont changé, indiquez-les de nouveau là où la flotte est connectée.\n",
  },
});
