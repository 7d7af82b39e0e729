// SPDX-License-Identifier: Apache-2.0

/// The rules by which a device counts as present or lost.
///
/// ```swift
/// var options = PresenceOptions(lostAfter: .seconds(2))
/// options.minimumSignal = -80
/// let events = try central.presence(matching: .service("180D"), options: options)
/// ```
public struct PresenceOptions: Hashable, Sendable {
    /// The silence after which a device counts as lost.
    public enum Silence: Hashable, Sendable {
        /// Twice the longest gap between advertisements of this device, plus 5 seconds. Until 16
        /// gaps are known, three times the longest gap, plus 5 seconds. Before the first gap is
        /// known, the library assumes the longest advertising interval, 10.25 seconds. So a device
        /// that was received once is lost after 35.75 seconds.
        case learned
        /// The same time for all devices. It should be several times as long as the interval of the
        /// slowest device, because packets are lost.
        case fixed(Duration)
    }

    /// The silence after which a device counts as lost.
    public var silence = Silence.learned
    /// The minimum time that a device gets to advertise again after its link has ended; 5 seconds
    /// by default.
    public var grace = Duration.seconds(5)
    /// The minimum signal strength (RSSI) of an advertisement, in dBm. Weaker advertisements, and
    /// those of unknown strength, are ignored. So a device with only weaker advertisements is not
    /// discovered, and is lost if it was present. With `nil`, the default, no advertisement is
    /// ignored.
    public var minimumSignal: Int?

    /// Creates the default options: the silence is learned.
    public init() {}

    /// Creates options with a fixed silence.
    ///
    /// - Parameter silence: The silence after which a device counts as lost.
    public init(lostAfter silence: Duration) {
        self.silence = .fixed(silence)
    }
}
