/** The meanings of values of enums about positions, geofences and fleets. */
export const TELEMATICS_VALUES = `
DriverDayException.no_gps: There are no positions of the shift.
DriverDayException.clock_skew: The clock of the telephone is wrong.
GpsConfidenceLevel.high: At least 80 % of the expected positions, and no gap of more than 15 minutes.
GpsConfidenceLevel.medium: At least half of the expected positions.
GpsConfidenceLevel.low: Less than half of the expected positions.
TravelledDistanceType.off_job: There was no job.
TravelledDistanceType.unloaded: On a job, without a load on the truck.
TravelledDistanceType.loaded: With a load on the truck.
GeofenceTag.site: The whole site.
GeofenceTriggerState.applied: It changed the work.
GeofenceTriggerState.skipped: It changed nothing.
GeofenceTriggerState.superseded: Positions that came later disprove it.
GeofenceTriggerState.proposed: A person has to decide.
TelematicsFleetState.connected: The provider is read, or sends.
TelematicsFleetState.failing: The provider could not be read; it is tried again.
TelematicsProvider.samsara: Samsara.
TelematicsProvider.geotab: Geotab.
TelematicsProvider.verizon_reveal: Verizon Connect Reveal.
TelematicsProvider.iso_15143: Machines by ISO 15143-3 (AEMP 2.0), such as those of Caterpillar, Deere, Volvo, Komatsu and Trackunit.
TelematicsProvider.http_json: Any source that lists positions in JSON.
TelematicsProviderSource.axle: Trucks and everything else.
TelematicsProviderSource.paver_tracker: Machines of moving sites.
`;
