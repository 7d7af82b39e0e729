// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A radio that scans or initiates, and the times at which it listens.
///
/// A scanner listens on one of the three primary channels at a time, so it misses most
/// advertisements. This small value is enough to find that out, without the state of the
/// controller.
package struct Listener: Sendable {
    /// The radio.
    let radio: RadioID
    /// The plan of the scanner; `nil` while it does not listen.
    var scanning: ListeningPlan?
    /// The plan of the initiator; `nil` while it does not listen.
    var initiating: ListeningPlan?

    /// Whether the radio neither scans nor initiates.
    var isIdle: Bool { scanning == nil && initiating == nil }

    /// Returns whether the radio may listen to a packet that is not addressed to it. If so, the
    /// controller decides.
    func mayInclude(_ packet: AdvertisingPacket) -> Bool {
        guard packet.isAdvertisement else { return false }
        let transmission = packet.transmission
        guard transmission.channel.isPrimary else { return true }
        return includes(transmission, packet.modulation, scanning)
            || includes(transmission, packet.modulation, initiating)
    }

    private func includes(
        _ transmission: Transmission,
        _ modulation: Modulation,
        _ plan: ListeningPlan?
    ) -> Bool {
        let channel = plan?.channel(
            modulation,
            from: transmission.start.nanoseconds,
            to: transmission.end.nanoseconds
        )
        return channel == transmission.channel.index
    }
}
