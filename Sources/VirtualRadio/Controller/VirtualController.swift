// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A controller without radio hardware: it accepts commands, emits events, and has a Link Layer
/// that uses the ether.
///
/// The controller's links are in the ether, because two controllers share each link.
package struct VirtualController: Sendable {
    /// The controller's radio.
    package let radio: RadioID
    /// The controller's identity and capabilities.
    package let configuration: ControllerConfiguration
    /// The public address.
    package let publicAddress: DeviceAddress

    /// The bytes from the host that are not yet a whole packet.
    var hostStream = HostStream()
    /// The settings that no other part of the controller stores.
    package var settings = ControllerSettings()
    /// The Filter Accept List of the advertiser, the scanner and the initiator.
    package var acceptList: FilterAcceptList
    /// The resolving list for private addresses.
    package var resolvingList: ResolvingList
    /// The advertising sets.
    package var advertiser: VirtualAdvertiser
    /// The scanner.
    package var scanner: Scanner
    /// The initiator.
    package var initiator: Initiator
    /// The keys for LE Secure Connections.
    var keyAgreement = KeyAgreement()
    /// The random stream of the controller, for random numbers, keys, addresses and delays.
    package var generator: RandomStream

    /// Creates a controller in the state after power-on.
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
        advertiser = VirtualAdvertiser(setLimit: configuration.advertisingSetLimit)
        scanner = Scanner()
        initiator = Initiator()
        generator = seed.stream("controller", radio.rawValue)
    }

    /// Handles a timer that has fired.
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

    /// Returns whether the controller listened to the whole packet on its channel: always `true`
    /// for the addressee. The method is mutating so that a call uses the controller in place,
    /// without a copy.
    package mutating func listens(to packet: AdvertisingPacket, _ ether: Ether) -> Bool {
        if packet.addressee == radio { return true }
        return scannerListens(to: packet, ether) || initiatorListens(to: packet, ether)
    }

    /// Handles a packet that has just ended, and that the controller has received completely.
    package mutating func receive(_ packet: AdvertisingPacket, rssi: Int8, _ ether: inout Ether) {
        switch packet.pdu {
        case .scanRequest(let request): receive(request, in: packet, rssi: rssi, &ether)
        case .connectionRequest(let request): receive(request, in: packet, rssi: rssi, &ether)
        case .connectionResponse(let response): receive(response, in: packet, rssi: rssi, &ether)
        case .legacy, .scanResponse, .extended:
            initiatorReceives(packet, rssi: rssi, &ether)
            scannerReceives(packet, rssi: rssi, &ether)
        }
    }

    /// Handles the end of a packet that the controller sent, after every controller that received
    /// it has acted on it.
    package mutating func transmitted(_ packet: AdvertisingPacket, _ ether: inout Ether) {
        switch packet.pdu {
        case .legacy, .extended, .scanResponse, .connectionResponse:
            advertiserTransmitted(packet, &ether)
        case .scanRequest: scannerTransmitted(packet, &ether)
        case .connectionRequest(let request): initiatorTransmitted(request, packet, &ether)
        }
    }
}
