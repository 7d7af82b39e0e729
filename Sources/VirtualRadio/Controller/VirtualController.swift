// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A controller without a radio: commands in, events out, and a Link Layer that uses the ether.
///
/// The state that Reset does not bring back (who it is) is in `configuration`; all else is in the
/// parts, each with a file folder and a list of commands of its own. The links that it has are in
/// the ether, since two controllers share each.
package struct VirtualController: Sendable {
    /// Which radio it has.
    package let radio: RadioID
    /// Who it is and what it can do.
    package let configuration: ControllerConfiguration
    /// The address that its maker gave it.
    package let publicAddress: DeviceAddress

    /// What came from the host and is not yet a whole packet.
    var hostStream = HostStream()
    /// Local state that baseband and controller commands set.
    package var settings = ControllerSettings()
    /// Whom advertiser, scanner and initiator care for, where they are asked to be choosy.
    package var acceptList: FilterAcceptList
    /// Who is behind which private addresses.
    package var resolvingList: ResolvingList
    /// What it advertises.
    package var advertiser: Advertiser
    /// How it scans.
    package var scanner: Scanner
    /// Whom it wants to connect to.
    package var initiator: Initiator
    /// Its keys for Secure Connections.
    var keyAgreement = KeyAgreement()
    /// Its own chance: random numbers, keys, addresses, delays.
    package var dice: RandomStream

    /// A controller as it is after power-on.
    package init(
        _ configuration: ControllerConfiguration,
        radio: RadioID,
        publicAddress: DeviceAddress,
        seed: WorldSeed
    ) {
        self.radio = radio
        self.configuration = configuration
        self.publicAddress = publicAddress
        acceptList = FilterAcceptList(limit: configuration.acceptListLimit)
        resolvingList = ResolvingList(limit: configuration.resolvingListLimit)
        advertiser = Advertiser(setLimit: configuration.advertisingSetLimit)
        scanner = Scanner()
        initiator = Initiator()
        dice = seed.stream("controller", radio.rawValue)
    }

    /// A timer is due.
    package mutating func timerFired(_ timer: ControllerTimer, _ ether: inout Ether) {
        switch timer {
        case .advertise(let set): advertise(set, &ether)
        case .advertisingEnds(let set): advertisingEnds(set, &ether)
        case .scanPeriod: scanPeriodBegins(&ether)
        case .scanEnds: scanEnds(&ether)
        case .listen(let token): listeningTurns(token, &ether)
        case .privateAddresses: replacePrivateAddresses(&ether)
        case .computation: finishComputation(&ether)
        }
    }

    /// Whether it listened to the packet, from beginning to end, on its channel.
    package func listens(to packet: AdvertisingPacket, _ ether: Ether) -> Bool {
        if packet.addressee == radio { return true }
        return scannerListens(to: packet, ether) || initiatorListens(to: packet, ether)
    }

    /// A packet that it listened to has arrived whole, and has just ended.
    package mutating func hear(_ packet: AdvertisingPacket, rssi: Int8, _ ether: inout Ether) {
        switch packet.pdu {
        case .scanRequest(let request): hear(request, in: packet, rssi: rssi, &ether)
        case .connectionRequest(let request): hear(request, in: packet, rssi: rssi, &ether)
        case .connectionResponse(let response): hear(response, in: packet, rssi: rssi, &ether)
        case .legacy, .scanResponse, .extended:
            initiatorHears(packet, rssi: rssi, &ether)
            scannerHears(packet, rssi: rssi, &ether)
        }
    }

    /// A packet of its own has ended, and whoever heard it has acted on it.
    package mutating func transmitted(_ packet: AdvertisingPacket, _ ether: inout Ether) {
        switch packet.pdu {
        case .legacy, .extended, .scanResponse, .connectionResponse:
            advertiserTransmitted(packet, &ether)
        case .scanRequest: scannerTransmitted(packet, &ether)
        case .connectionRequest(let request): initiatorTransmitted(request, packet, &ether)
        }
    }
}
