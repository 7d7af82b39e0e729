// SPDX-License-Identifier: Apache-2.0

/// Somebody is near, or is gone.
public enum PresenceEvent: Hashable, Sendable {
    /// It was not there, or not known, before.
    case discovered(Sighting)
    /// It is there still.
    case updated(Sighting)
    /// It is gone.
    case lost(Sighting)
}
